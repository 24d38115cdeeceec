/** Header names that both planes and the clients use, in lower case as Node.js reports them. */
export const HEADER = {
  apiKey: 'x-gw-api-key',
  virtualKey: 'x-gw-virtual-key',
  provider: 'x-gw-provider',
  config: 'x-gw-config',
  customHost: 'x-gw-custom-host',
  forwardHeaders: 'x-gw-forward-headers',
  requestTimeout: 'x-gw-request-timeout',
  metadata: 'x-gw-metadata',
  traceId: 'x-gw-trace-id',
  spanId: 'x-gw-span-id',
  parentSpanId: 'x-gw-parent-span-id',
  spanName: 'x-gw-span-name',
  /** Used between our own processes: the client's address with its signature. */
  clientAddress: 'x-gw-client-address',
  /** `1`: the request comes from a console in a browser, whose session is in a cookie. */
  console: 'x-gw-console',
  debug: 'x-gw-debug',
  explain: 'x-gw-explain',
  modelsEndpoint: 'x-gw-models-endpoint',
  strictOpenAi: 'x-gw-strict-open-ai-compliance',
  cacheNamespace: 'x-gw-cache-namespace',
  cacheForceRefresh: 'x-gw-cache-force-refresh',
  // Response headers.
  requestId: 'x-gw-request-id',
  lastUsedOption: 'x-gw-last-used-option-index',
  retryCount: 'x-gw-retry-attempt-count',
  cacheStatus: 'x-gw-cache-status',
  servedBy: 'x-gw-provider',
  /** The two dialects of a translated call: `anthropic-messages>openai-chat`. */
  translation: 'x-gw-translation',
  /** Members that the provider cannot express: `seed=dropped, …`, at most 1 KiB. */
  translationLoss: 'x-gw-translation-loss',
  /** The decision record, for `x-gw-explain: 1`. */
  decision: 'x-gw-decision',
} as const;

export const GATEWAY_HEADER_PREFIX = 'x-gw-';
/** Prefix of the same headers at another gateway, which a workspace may accept. */
export const PORTKEY_HEADER_PREFIX = 'x-portkey-';
