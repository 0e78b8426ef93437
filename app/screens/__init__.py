"""Page files; `app/web.py` runs one of them at a time.

Not named `pages`: Streamlit would run such files by themselves, without the frame around them.
"""
