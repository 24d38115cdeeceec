import { inWords, valueWord } from './log-words';

const SCOPES: Readonly<Record<string, string>> = {
  api_key: 'Key',
  workspace: 'Workspace',
  provider: 'Provider',
  integration: 'Integration',
  policy: 'Policy',
};

const PERIODS: Readonly<Record<string, string>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
};

/** `cost` as `budget`, `requests_per_m` as `requests a minute`. */
function limitType(type: string): string {
  if (type === 'cost') return 'budget';
  const [, what = type, period = ''] = /^(\w+?)_per_([a-z])/.exec(type) ?? [];
  const word = what.replaceAll('_', ' ');
  return period === '' ? word : `${word} a ${PERIODS[period] ?? period}`;
}

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];
const ordinal = (place: number): string => ORDINALS[place - 1] ?? `${place}th`;

const SOURCES: Readonly<Record<string, string>> = {
  header: 'from the request',
  key: 'from the key',
  workspace: 'from the workspace',
  guardrail: 'of a guardrail',
};

const UNITS: Readonly<Record<string, string>> = {
  input: 'input',
  output: 'output',
  cache_read: 'cached',
  cache_write: 'cache write',
};

/** Texts of one log. */
export const logDetail = {
  filterBy: (field: string, value: string) => `Filter by ${field} ${value}`,
  tabs: {
    why: 'Why',
    messages: 'Messages',
    request: 'Request',
    response: 'Response',
    money: 'Money',
    trace: 'Trace',
    feedback: 'Feedback',
    raw: 'Raw',
  },
  view: {
    panel: 'Open log',
    page: 'Log',
    width: 'Width of the open log',
    tabs: 'Parts of the log',
    previous: 'Previous log',
    previousKey: 'Previous log (K)',
    next: 'Next log',
    nextKey: 'Next log (J)',
    own: 'On a page of its own',
    ownKey: 'On a page of its own (O)',
    close: 'Close the log',
    closeKey: 'Close the log (Esc)',
    key: 'key',
    user: 'user',
  },
  actions: {
    replay: 'Replay in playground',
    copyAs: 'Copy as …',
    copied: 'Copied',
    notCopied: 'Not copied',
    curl: 'curl',
    sdk: 'OpenAI SDK',
    json: 'JSON',
    id: 'Request id',
    share: 'Share',
    link: 'Link',
    incident: 'For an incident, as Markdown',
    noBody: 'The body of this request is incomplete, or cannot be written in this form.',
  },
  incident: {
    request: 'Request',
    trace: 'Trace',
    time: 'Time',
    took: 'Took',
    error: 'Error',
    cost: 'Cost',
    part: 'Part',
    from: 'From',
    what: 'What happened',
  },
  why: {
    status: (status: number) => `Answered with ${status}.`,
    denied: (id: string, stage: string) => `Denied by the guardrail ${id}, on the ${stage}.`,
    overLimit: (scope: string, type: string) => `Refused by a limit: ${scope.toLowerCase()} ${type}.`,
    refused: (error: string | null) =>
      error === null ? 'Refused by the gateway.' : `Refused: ${inWords(error)}.`,
    providerFailed: (status: number, targets: number) =>
      targets > 1
        ? `No target answered with success; the last one answered with ${status}.`
        : `The provider answered with ${status}.`,
    clientLeft: 'The client left before the response was complete.',
    gatewayLost: 'The gateway stopped while the request was under way.',
    interrupted: 'The response broke off before it was complete.',
    failed: (error: string | null) => (error === null ? 'Failed.' : `Failed: ${inWords(error)}.`),
    replayed: 'The stored response of the first request with this Idempotency-Key.',
    cached: (isSemantic: boolean, similarity: number | undefined) =>
      isSemantic
        ? `Answered from the cache by a similar request${similarity === undefined ? '' : ` (similarity ${similarity.toFixed(3)})`}.`
        : 'Answered from the cache.',
    answeredWithoutCall: 'Answered by the gateway.',
    hedged: 'Answered by the second of two calls, because the first one was slow.',
    byTarget: (place: number) => `Answered by the ${ordinal(place)} target.`,
    byRetry: (retry: number) => `Answered at retry ${retry}.`,
    firstTry: 'Answered at the first try.',
    config: (slug: string | null, source: string, strategy: string) =>
      `Config ${slug ?? 'written in the request'}, ${SOURCES[source] ?? source}${strategy === '' ? '' : ` (${strategy})`}.`,
    condition: (condition: string) => `Matched the condition ${condition}.`,
    movedOn: (ends: readonly string[]) => `Moved on because ${ends.join(', and ')}.`,
    ended: (target: string, words: readonly string[]) => `${target} ended with ${words.join(', then ')}`,
    times: (word: string, times: number) =>
      times === 1 ? word : times === 2 ? `${word} twice` : `${word} ${times} times`,
    limits: 'Limits',
    noLimits: 'The record names no limits.',
    limitName: (scope: string, type: string) => `${scope} ${type}`,
    scope: (scope: string) => SCOPES[scope] ?? scope,
    limitType,
    usedOf: (used: string, limit: string) => `${used} of ${limit}`,
    refusedWord: 'refused',
    resets: (time: string) => `resets ${time}`,
    money: 'Money',
    guardrails: 'Guardrails',
    transformed: 'changed the text',
    right: 'This verdict is right',
    wrong: 'This verdict is wrong',
    marked: 'noted',
    routing: 'Routing',
    loss: 'not sent',
    showMessages: 'Show the messages',
    cache: {
      title: 'Cache',
      status: 'result',
      word: (status: string) => status.toLowerCase(),
      key: 'key',
      similarity: 'similarity',
      saved: 'saved',
      sharedName: 'shared',
      shared: 'the response of a request in flight',
      failureName: 'failure',
      failure: (failure: string) =>
        failure === 'store_unavailable' ? 'the cache could not be reached' : 'the embeddings call failed',
    },
    facts: {
      title: 'Request',
      route: 'route',
      provider: 'provider',
      credential: 'credential',
      responseModel: 'response model',
      error: 'error type',
      outcome: 'outcome',
      config: 'config',
      configVersion: 'config version',
      trace: 'trace',
      gateway: 'gateway',
      tokens: 'tokens',
      overhead: 'overhead',
      prompt: 'prompt',
      version: (version: number) => `version ${version}`,
      idempotency: 'idempotency',
      idempotent: (which: string) =>
        which === 'first' ? 'first with its key' : 'repeated the response of the first one',
      session: 'session',
      closed: (by: string, code: number) => `closed by the ${by} with ${code}`,
      mcp: 'MCP',
      toolFailed: 'tool failed',
      approval: 'approval',
      agent: 'agent',
      clock: 'clock of the gateway',
    },
  },
  money: {
    lines: 'Price lines',
    line: (quantity: string, unit: string, price: string) => `${quantity} ${unit} × ${price} /M`,
    unit: (unit: string) => UNITS[unit] ?? inWords(unit),
    rest: 'other attempts and checks',
    total: 'total',
    exact: 'exact cost',
    priced: 'known as',
    pricedWord: valueWord,
    source: 'prices from',
    none: 'no price',
    saved: 'saved by the cache',
    unpriced: (model: string) => `No price is known for ${model}, so the cost is unknown.`,
    noCharges: 'No budget was charged.',
    charges: 'Charges',
    chargeLine: 'For',
    chargeTokens: 'Tokens',
    chargeCost: 'Cost, USD',
    chargeCounters: 'Counters',
    chargeOf: (line: string, provider: string) => `${line} · ${provider}`,
  },
  messages: {
    none: 'This route has no messages; these are its bodies.',
    truncated: 'Only the beginning of a body was logged, so messages may be missing.',
    noHeaders: 'Headers are not kept.',
  },
  trace: {
    label: 'Logs of the trace',
    truncated: 'The trace has more than 1,000 logs; the newest 1,000 are shown.',
  },
  feedback: {
    none: 'No feedback yet.',
    value: (value: number) => (value > 0 ? `+${value}` : String(value).replace('-', '−')),
    source: (source: string) => (source === 'guardrail' ? 'by a guardrail' : 'by the API'),
    weight: (weight: number) => `weight ${weight}`,
    valueLabel: 'Value',
    valueHint: 'From −10 to 10. It rates the whole trace.',
    note: 'Note',
    add: 'Add feedback',
  },
  raw: { bodies: 'The bodies are in Request and Response.', copy: 'Copy as JSON' },
};
