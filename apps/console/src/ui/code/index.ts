export { AsCode, type AsCodeProps, type CodeForm } from './as-code';
export { Reveal, type RevealProps } from './reveal';
