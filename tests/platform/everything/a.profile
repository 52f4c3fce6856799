# begins anew
1 0.5
4 1
LOOPAFTER 6
