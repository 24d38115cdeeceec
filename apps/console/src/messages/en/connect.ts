export const connect = {
  title: 'Connect',
  keyIsMasked: 'The code reads the key from TOLLGATE_KEY.',
};
