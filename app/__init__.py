"""What people touch: the command line (`cli.py`) and the Streamlit app (`web.py`)."""
