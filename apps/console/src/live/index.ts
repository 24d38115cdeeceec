export { useTail, type LogRow, type TailQuery } from './use-tail';
export { Tail, type TailSource, type TailState, type TailStatus } from './tail';
