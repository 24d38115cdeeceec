import {
  A2A_ERRORS,
  A2aError,
  callOf,
  checkAbilities,
  checkCall,
  checkTaskState,
  methodNamed,
  ownTask,
  readRpcRequest,
  rpcErrorResponse,
  type A2aErrorKind,
  type AgentAbilities,
  type Operation,
} from '../index';
import { vectors } from '../spec-support/vectors';

interface VersionInput {
  readonly header?: string | null;
  readonly query?: string;
  readonly method?: string;
  readonly params?: unknown;
  readonly body?: string;
  readonly agent?: string;
  /** `any of -32001..-32009` */
  readonly error?: string;
}
interface VersionCase {
  readonly input: VersionInput;
  readonly expect: string | { readonly code?: number | readonly number[]; readonly data?: string };
}

const MESSAGES = {
  '0.3': { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] },
  '1.0': { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
};
const CONFIG = { url: 'https://client.example.org/hook' };

/** Returns parameters that a method accepts, for cases that test something else. */
function goodParams(method: string): unknown {
  const { operation = '', version = '1.0' } = methodNamed(method) ?? {};
  if (operation.startsWith('send')) return { message: MESSAGES[version] };
  if (operation === 'createPushConfig')
    return version === '1.0' ? { taskId: 't', ...CONFIG } : { taskId: 't', pushNotificationConfig: CONFIG };
  if (operation.includes('PushConfig'))
    return version === '1.0' ? { taskId: 't', id: 'c' } : { id: 't', pushNotificationConfigId: 'c' };
  return { id: 't' };
}

const ABLE: AgentAbilities = {
  streaming: true,
  push: 'relay',
  extendedCard: true,
  extensions: [],
  requiredExtensions: [],
};

/**
 * Returns the abilities of an agent that a case describes: `no push`, `no streaming`, `requires an
 * extension` …
 */
function abilitiesBy(agent = ''): AgentAbilities {
  return {
    ...ABLE,
    streaming: !/(?:no|without) stream/.test(agent),
    push: /(?:no|without) push/.test(agent) ? 'off' : 'relay',
    extendedCard: !/(?:no|without) (?:extended )?card/.test(agent),
    requiredExtensions: /requires/.test(agent) ? ['https://e.example/x'] : [],
  };
}

/**
 * Checks the task that a placeholder in the parameters names: `<DONE>` has ended, all others belong
 * to another caller.
 */
function checkTask(operation: Operation, params: unknown): void {
  const [, name] = /<(\w+)>/.exec(JSON.stringify(params ?? null)) ?? [];
  if (name === 'DONE') checkTaskState(operation, 'TASK_STATE_COMPLETED');
  else if (name !== undefined) ownTask(null, 'agent', { workspaceId: 'w', userId: 'u', keyId: 'k' });
}

/** Returns the version in which a call is accepted, or the code of its error. */
function outcomeOf({ header, query, method = 'GetTask', params, body, agent }: VersionInput): string {
  const request = { jsonrpc: '2.0', id: 1, method, params: params ?? goodParams(method) };
  try {
    const call = checkCall(
      callOf(readRpcRequest(Buffer.from(body ?? JSON.stringify(request))), { header, query }),
    );
    checkAbilities(call.operation, abilitiesBy(agent), null);
    checkTask(call.operation, params);
    return call.version;
  } catch (error) {
    if (error instanceof A2aError) return String(error.code);
    throw error;
  }
}

/** Returns the kinds of the errors in a range such as `any of -32001..-32009`. */
function kindsIn(range: string): A2aErrorKind[] {
  const [last = 0, first = 0] = [...range.matchAll(/-\d+/g)].map(Number).sort((one, other) => one - other);
  return (Object.keys(A2A_ERRORS) as A2aErrorKind[]).filter(
    (kind) => A2A_ERRORS[kind].code >= last && A2A_ERRORS[kind].code <= first,
  );
}

const ERROR_INFO = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  domain: 'a2a-protocol.org',
  reason: expect.stringMatching(/^[A-Z_]+$/) as string,
};

describe('versions of calls', () => {
  it.each(vectors<VersionCase>('version'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    if (input.error !== undefined) {
      const kinds = kindsIn(input.error);
      const version = input.header === '1.0' ? '1.0' : '0.3';
      const errors = kinds.map((kind) => rpcErrorResponse(1, new A2aError(kind), version).error);
      expect(kinds.length).toBeGreaterThan(5);
      for (const error of errors)
        if (version === '1.0') expect(error.data).toEqual([ERROR_INFO]);
        else expect(error).not.toHaveProperty('data');
      return;
    }
    const outcomes =
      typeof wanted === 'string' ? wanted.split(' or ') : [wanted.code].flat().map((code) => String(code));
    expect(outcomes).toContain(outcomeOf(input));
  });
});
