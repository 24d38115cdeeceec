import type { OutboundHandler, OutboundRequest } from './types';

/** The request of a call that has ended. */
export const NO_REQUEST: OutboundRequest = {
  origin: '',
  path: '',
  method: '',
  headers: [],
  body: null,
  poolClass: '',
  connectTimeoutMs: 0,
  headersTimeoutMs: 0,
  idleTimeoutMs: 0,
  totalTimeoutMs: 0,
};

/** The handler of a call that has ended. */
export const NO_HANDLER: OutboundHandler = {
  onHeaders: () => undefined,
  onData: () => undefined,
  onEnd: () => undefined,
  onError: () => undefined,
};
