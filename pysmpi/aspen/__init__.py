"""Aspen, a language for models of applications and machines.

An application model says what an algorithm needs: operations, bytes of memory and of messages, in formulas of
parameters. A machine model says what a unit of each resource costs on which component.
"""
