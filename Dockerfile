# One image for the app and for Label Studio: the environments that `make setup` builds and
# continuous integration tests. Images themselves are not built in continuous integration.
FROM python:3.11-slim-bookworm

# An index with CPU builds of PyTorch makes the image some 5 GB smaller.
ARG TORCH_INDEX=""

RUN apt-get update \
    && apt-get install -y --no-install-recommends make \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /srv/stereoscope
COPY . .
RUN make setup TORCH_INDEX="${TORCH_INDEX}"

# The data volumes take their owner from these folders.
RUN install -d -o 1000 -g 1000 /srv/study /srv/label-studio
USER 1000:1000
ENV HOME=/srv/study STEREOSCOPE_WORKSPACE=/srv/study
CMD [".venv/bin/stereoscope", "--help"]
