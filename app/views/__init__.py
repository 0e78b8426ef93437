"""What pages show, computed from the store without Streamlit."""
