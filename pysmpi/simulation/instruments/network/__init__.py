"""Network reports: link use and the communication matrix."""
