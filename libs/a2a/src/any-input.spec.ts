import { createAddressPolicy, GatewayError, parseExact } from '@gw/kernel';
import fc from 'fast-check';
import {
  A2aError,
  abilitiesOf,
  agentRoute,
  bareEvent,
  callOf,
  cardChange,
  checkCall,
  eventFacts,
  keySetUrls,
  methodOf,
  textsIn,
  pushReceipt,
  pushTokenHash,
  pushUrlFault,
  readCard,
  readPushConfig,
  readRpcRequest,
  servedCard,
  translateParams,
  translateResult,
  verifyCard,
  withTexts,
  type Members,
  type Operation,
} from './index';
import { FULL_CARD, keyOf, TRUSTED } from './spec-support/signed-cards';

const POLICY = createAddressPolicy({ trustedHosts: [] });
const AGENT = 'https://agent.example.org';

/** Returns whether `work` succeeds, or throws an error that clients get. */
function isReadOrRefused(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    return error instanceof A2aError || (error instanceof GatewayError && error.status === 400);
  }
}

/**
 * Member names of A2A and of prototypes, so that generated objects reach deep code of the readers.
 */
const NAMES = [
  ...['message', 'messageId', 'role', 'parts', 'kind', 'text', 'file', 'data', 'raw', 'url', 'metadata'],
  ...['task', 'id', 'taskId', 'contextId', 'status', 'state', 'artifact', 'artifacts', 'history'],
  ...['statusUpdate', 'artifactUpdate', 'configuration', 'pushNotificationConfig', 'authentication'],
  ...['name', 'skills', 'capabilities', 'extensions', 'supportedInterfaces', 'signatures', 'provider'],
  ...['__proto__', 'constructor', 'toString', 'data_part_compat', 'configs', 'tasks', 'schemes'],
];
const LEAF = fc.oneof(
  fc.constantFrom(
    ...['user', 'ROLE_USER', 'text', 'file', 'data', 'task', 'message', 'working', 'TASK_STATE_WORKING'],
    ...['', `${AGENT}/rpc`, 'JSONRPC', '1.0', 'https://10.0.0.1/', '__proto__'],
  ),
  fc.jsonValue(),
);
const { value: VALUE, object: OBJECT } = fc.letrec<{ value: unknown; object: Members }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    LEAF,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  // Converted through JSON, so that `__proto__` is an own member, as in a request.
  object: fc
    .array(fc.tuple(fc.constantFrom(...NAMES), tie('value')), { maxLength: 8 })
    .map(
      (members) =>
        JSON.parse(
          `{${[...new Map(members)].map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
        ) as Members,
    ),
}));

const OPERATIONS: readonly Operation[] = [
  ...(['sendMessage', 'sendStreamingMessage', 'getTask', 'listTasks', 'cancelTask'] as const),
  ...(['subscribeToTask', 'createPushConfig', 'getPushConfig', 'listPushConfigs'] as const),
  'deletePushConfig',
];
const OPERATION = fc.constantFrom(...OPERATIONS);
const VERSION = fc.constantFrom('0.3' as const, '1.0' as const);

describe('arbitrary input', () => {
  afterEach(() => {
    expect(({} as Record<string, unknown>)['text']).toBeUndefined();
  });

  it('results in a call or an error of A2A', () => {
    const request = fc.record({
      jsonrpc: fc.constantFrom('2.0', 1),
      id: LEAF,
      method: fc.tuple(OPERATION, VERSION).map(([operation, version]) => methodOf(operation, version) ?? 'x'),
      params: VALUE,
    });
    fc.assert(
      fc.property(request, fc.constantFrom(null, '0.3', '1.0', 'x'), (body, header) =>
        isReadOrRefused(() =>
          checkCall(callOf(readRpcRequest(Buffer.from(JSON.stringify(body))), { header })),
        ),
      ),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array(), (body) => isReadOrRefused(() => readRpcRequest(Buffer.from(body)))),
    );
  });

  it('is translated or refused', () => {
    fc.assert(
      fc.property(OPERATION, OBJECT, VALUE, VERSION, (operation, params, result, from) => {
        const direction = { from, to: from === '1.0' ? '0.3' : '1.0' } as const;
        return (
          operation === 'getExtendedCard' ||
          (isReadOrRefused(() => translateParams(operation, params, direction)) &&
            isReadOrRefused(() => translateResult(operation, result, direction)))
        );
      }),
      { numRuns: 500 },
    );
  });

  it('results in a card that can be served, compared and verified, or in a refusal', () => {
    const cards = fc
      .tuple(OBJECT, fc.record({ name: LEAF, url: LEAF }, { requiredKeys: [] }))
      .map(([card, more]): Members => ({ ...card, ...more }));
    fc.assert(
      fc.property(cards, (raw) =>
        isReadOrRefused(() => {
          const card = readCard(raw, { policy: POLICY, endpoint: AGENT });
          const address = 'https://gateway.example.org/v1/agent/a';
          const served = servedCard(card.card, { form: '1.0', address, security: { oauth: null } });
          expect(JSON.stringify(served['supportedInterfaces'])).not.toContain(AGENT);
          abilitiesOf(card.card);
          keySetUrls(card.card, [AGENT]);
          cardChange({ card: FULL_CARD, url: AGENT }, card, 'review_changes');
          expect(verifyCard(card.card, [keyOf(TRUSTED)]).state).not.toBe('verified');
        }),
      ),
      { numRuns: 500 },
    );
  });

  it('has replaceable texts, and results in event facts or a refusal', () => {
    fc.assert(
      fc.property(OBJECT, (event) => {
        const texts = textsIn(event);
        const edit = (text: string): string => `${text}!`;
        expect(textsIn(withTexts(event, edit))).toEqual(texts.map(edit));
        expect(textsIn(bareEvent(event))).toEqual([]);
        return isReadOrRefused(() => eventFacts(event));
      }),
      { numRuns: 500 },
    );
  });

  it('results in a route or a refusal', () => {
    const segment = fc.oneof(
      fc.constantFrom('v1', 'agent', 'agents', 'tasks', 'message:send', '..', '%2e%2e', 'a', '', 'x:cancel'),
      fc.string(),
    );
    const path = fc.array(segment, { maxLength: 14 }).map((segments) => `/v1/agent/a/${segments.join('/')}`);
    fc.assert(
      fc.property(fc.constantFrom('GET', 'POST', 'DELETE'), path, (method, text) => {
        const route = agentRoute(method, text);
        const ids = route.kind === 'rest' ? [route.taskId, route.configId] : [];
        expect(ids.filter((id) => id?.includes('/') === true || id === '..')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('results in a push config or a refusal, and only in events of the right task', () => {
    const rules = { policy: POLICY, ownUrls: ['https://gateway.example.org'] };
    const tokenHash = pushTokenHash('t');
    fc.assert(
      fc.property(OBJECT, VERSION, (value, version) => {
        const receipt = pushReceipt(
          { token: 't', body: Buffer.from(JSON.stringify(value)) },
          { tokenHash, taskId: 'task', version },
        );
        expect(['accepted', 'refused']).toContain(receipt.kind);
        return isReadOrRefused(() => readPushConfig(value, 0, rules)) && pushUrlFault(value, rules) !== null;
      }),
      { numRuns: 500 },
    );
  });
});

/** Non-empty text, because serialisers of 1.0 write an empty text for no value. */
const TEXT = fc.string({ minLength: 1, maxLength: 8 });
const METADATA = fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue(), { maxKeys: 2 });
const optional = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const without = (value: Members): Members =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined));
const FILE = { mediaType: optional(TEXT), filename: optional(TEXT), metadata: optional(METADATA) };
const PART = fc
  .oneof(
    fc.record({ text: fc.string(), metadata: optional(METADATA) }),
    fc.record({ raw: fc.base64String(), ...FILE }),
    fc.record({ url: fc.webUrl(), ...FILE }),
    fc.record({ data: fc.jsonValue() }),
    fc.record({ data: fc.constant({ a: 1 }), metadata: optional(METADATA) }),
  )
  .map(without);
const MESSAGE = fc
  .record({
    messageId: TEXT,
    role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT'),
    parts: fc.array(PART, { maxLength: 4 }),
    taskId: optional(TEXT),
    contextId: optional(TEXT),
    metadata: optional(METADATA),
    referenceTaskIds: optional(fc.array(TEXT, { maxLength: 2 })),
  })
  .map(without);
const STATUS = fc
  .record({
    state: fc.constantFrom('TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_COMPLETED'),
    message: optional(MESSAGE),
    timestamp: optional(fc.constant('2026-01-01T00:00:00Z')),
  })
  .map(without);
const ARTIFACT = fc.record({ artifactId: TEXT, parts: fc.array(PART, { maxLength: 3 }) });
const IDS = { taskId: TEXT, contextId: TEXT };
const EVENT: fc.Arbitrary<Members> = fc.oneof(
  fc.record({ message: MESSAGE }),
  fc.record({
    task: fc
      .record({
        id: TEXT,
        contextId: TEXT,
        status: STATUS,
        artifacts: optional(fc.array(ARTIFACT, { maxLength: 2 })),
        history: optional(fc.array(MESSAGE, { maxLength: 2 })),
      })
      .map(without),
  }),
  fc.record({ statusUpdate: fc.record({ ...IDS, status: STATUS }) }),
  fc.record({ artifactUpdate: fc.record({ ...IDS, artifact: ARTIFACT, append: fc.boolean() }) }),
);

describe('translation of values of 1.0', () => {
  const [THERE, BACK] = [
    { from: '1.0', to: '0.3' },
    { from: '0.3', to: '1.0' },
  ] as const;

  it('restores events and requests after a translation to 0.3 and back', () => {
    fc.assert(
      fc.property(EVENT, (event) => {
        const old = translateResult('sendStreamingMessage', event, THERE);
        expect(translateResult('sendStreamingMessage', old, BACK)).toEqual(event);
      }),
      { numRuns: 500 },
    );
    const params = fc.record({
      message: MESSAGE,
      configuration: fc.record({
        returnImmediately: fc.boolean(),
        acceptedOutputModes: fc.array(TEXT, { maxLength: 2 }),
        taskPushNotificationConfig: fc.record({
          url: fc.webUrl(),
          authentication: fc.record({ scheme: TEXT, credentials: TEXT }),
        }),
      }),
    });
    fc.assert(
      fc.property(params, (value) => {
        const old = translateParams('sendMessage', value, THERE);
        expect(translateParams('sendMessage', old, BACK)).toEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[Operation, Members]>([
    ['getTask', { id: 't', historyLength: 0 }],
    ['listTasks', { contextId: 'c', status: 'TASK_STATE_WORKING', pageSize: 3 }],
    ['createPushConfig', { taskId: 't', id: 'c', url: AGENT, token: 'k' }],
    ['getPushConfig', { taskId: 't', id: 'c' }],
    ['listPushConfigs', { taskId: 't' }],
    ['deletePushConfig', { taskId: 't', id: 'c' }],
    ['getExtendedCard', {}],
  ])('restores the parameters of %s', (operation, params) => {
    const old = translateParams(operation, params, THERE);
    expect(translateParams(operation, old, BACK)).toEqual(params);
  });

  it('keeps a number that a double cannot represent in wrapped data', () => {
    const params = { message: { parts: [{ data: parseExact('12345678901234567890') }] } };
    expect(JSON.stringify(translateParams('sendMessage', params, THERE))).toContain(
      '"data":{"value":12345678901234567890}',
    );
  });

  it('recognises values of 0.3 without kind', () => {
    const ids = { taskId: 't', contextId: 'c' };
    const status = { state: 'working' };
    const kinds = [
      { ...ids, artifact: { artifactId: 'a', parts: [{ text: 'x' }] } },
      { ...ids, status },
      { id: 't', contextId: 'c', status },
      { messageId: 'm', role: 'agent', parts: [] },
    ].map((event) => Object.keys(translateResult('sendMessage', event, BACK) as object)[0]);
    expect(kinds).toEqual(['artifactUpdate', 'statusUpdate', 'task', 'message']);
  });

  it('refuses lists of more than 10,000 items', () => {
    const task = (count: number) => ({ id: 't', history: Array.from({ length: count }, () => ({})) });
    expect(translateResult('getTask', task(10_000), THERE)).toHaveProperty('kind', 'task');
    expect(() => translateResult('getTask', task(10_001), THERE)).toThrow(/at most 10000 items/);
  });

  it('restores lists and empty results', () => {
    const config = { taskId: 't', url: AGENT };
    const configs = translateResult('listPushConfigs', { configs: [config] }, THERE);
    expect(configs).toEqual([{ taskId: 't', pushNotificationConfig: { url: AGENT } }]);
    expect(translateResult('listPushConfigs', configs, BACK)).toEqual({ configs: [config] });
    expect(translateResult('listPushConfigs', {}, THERE)).toEqual([]);
    expect(translateResult('deletePushConfig', {}, THERE)).toBeNull();
    expect(translateResult('deletePushConfig', null, BACK)).toEqual({});
    const task = { id: 't', status: { state: 'TASK_STATE_WORKING' } };
    const tasks = translateResult('listTasks', { tasks: [task] }, THERE);
    expect(translateResult('listTasks', tasks, BACK)).toMatchObject({ tasks: [task], totalSize: 1 });
  });
});
