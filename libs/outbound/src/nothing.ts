import type { OutboundHandler, OutboundRequest } from './types';

/** What a call that has ended holds instead of its request. */
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

/** What it holds instead of its handler. */
export const NO_HANDLER: OutboundHandler = {
  onHeaders: () => undefined,
  onData: () => undefined,
  onEnd: () => undefined,
  onError: () => undefined,
};
