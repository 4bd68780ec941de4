1\. The first is good:
   taken: source 0, built_in
   y = 1 3 5 \.\.\. 2047
2\. The first three are not:
   taken: source 3, built_in
   why: 0: newest\.fatbin: No such file.*; 1: damaged\.fatbin: .*; 2: other-gpu\.cubin: .*sm_110.*
   y = 1 3 5 \.\.\. 2047
3\. None is:
   taken: plain C\+\+
   why: none of 3 sources could be loaded: 0: newest\.fatbin: No such file.*; 1: damaged\.fatbin: .*; 2: other-gpu\.cubin: .*sm_110.*
   y = 1 3 5 \.\.\. 2047
