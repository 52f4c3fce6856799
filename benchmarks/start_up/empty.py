"""Program that does nothing."""
