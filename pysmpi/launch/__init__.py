"""From a command line or a function to running ranks: settings, placement, isolation, and the rules of ending."""
