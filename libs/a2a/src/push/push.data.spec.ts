import { createAddressPolicy } from '@gw/kernel';
import {
  A2aError,
  PUSH_ATTEMPTS_MAX,
  pushAddressFault,
  pushReceipt,
  pushRequest,
  pushTokenHash,
  pushUrlFault,
  pushVerdict,
  readPushConfig,
  type PushConfig,
  type PushRules,
  type PushVerdict,
} from '../index';
import { vectors } from '../spec-support/vectors';

interface PushCase {
  readonly input: { readonly url?: string; readonly event?: string };
  readonly expect: string;
}

const GATEWAY = 'https://gateway.example.org';
const RULES: PushRules = { policy: createAddressPolicy({ trustedHosts: [] }), ownUrls: [GATEWAY] };
const HOOK = 'https://client.example.org/hook';
const EVENT = {
  statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
};
const CONFIG: PushConfig = { id: null, url: HOOK, token: 'n', authentication: null };

/** Returns the verdicts on consecutive attempts with the same status, until no attempt follows. */
function verdictsOn(status: number | null): PushVerdict[] {
  const verdicts: PushVerdict[] = [];
  do verdicts.push(pushVerdict(status, verdicts.length + 1));
  while (verdicts.at(-1)?.kind === 'retry' && verdicts.length < 100);
  return verdicts;
}

function checkUrl(text: string, wanted: string): void {
  const [url = ''] = text.replace('<GATEWAY>', GATEWAY).split(/ \(| -> /);
  const fault = pushUrlFault(url, RULES);
  if (wanted === 'either') return;
  expect(fault === null).toBe(wanted !== 'reject');
  if (wanted === 'refused at send') {
    expect(pushAddressFault(url, ['93.184.216.34'], RULES)).toBeNull();
    for (const addresses of [['10.0.0.1'], ['93.184.216.34', '169.254.169.254'], []])
      expect(pushAddressFault(url, addresses, RULES)).not.toBeNull();
  }
  if (wanted === 'not followed') {
    expect(pushRequest({ ...CONFIG, url }, EVENT, { version: '1.0' }).followsRedirects).toBe(false);
    expect(verdictsOn(302)).toEqual([{ kind: 'dropped' }]);
  }
}

const REGISTRATION = { tokenHash: pushTokenHash('secret'), taskId: 't', version: '1.0' } as const;
const delivered = (token: string, taskId: string): unknown =>
  pushReceipt(
    {
      token,
      body: Buffer.from(JSON.stringify({ statusUpdate: { ...EVENT.statusUpdate, taskId } })),
    },
    REGISTRATION,
  );

/** Checks by a pattern of the case's text. */
const EVENTS: readonly (readonly [RegExp, (wanted: string, event: string) => void])[] = [
  [
    /wrong token/,
    (wanted) => {
      expect(delivered('guess', 't')).toEqual({ kind: 'refused', status: Number.parseInt(wanted, 10) });
      expect(delivered('secret', 't')).toEqual({ kind: 'accepted', event: EVENT });
    },
  ],
  [
    /another task/,
    () => {
      expect(delivered('secret', 'other')).toEqual({ kind: 'refused', status: 404 });
    },
  ],
  [
    /answers 500/,
    (wanted) => {
      const verdicts = verdictsOn(500);
      expect(verdicts).toHaveLength(Number.parseInt(wanted, 10));
      expect(verdicts.at(-1)).toEqual({ kind: 'dropped' });
    },
  ],
  [
    /hangs/,
    (wanted) => {
      const { timeoutMs } = pushRequest(CONFIG, EVENT, { version: '1.0' });
      expect(`${String(timeoutMs / 1_000)} s`).toBe(wanted);
      expect(verdictsOn(null)).toHaveLength(PUSH_ATTEMPTS_MAX);
    },
  ],
  [
    /th config/,
    (wanted, event) => {
      const read = () => readPushConfig({ url: HOOK }, Number.parseInt(event, 10) - 1, RULES);
      if (wanted === 'reject') expect(read).toThrow(A2aError);
      else expect(read()).toMatchObject({ url: HOOK });
    },
  ],
  [
    /speaks 0\.3/,
    () => {
      const { body } = pushRequest(CONFIG, EVENT, { version: '0.3' });
      expect(JSON.parse(body.toString())).toEqual({
        ...{ kind: 'status-update', taskId: 't', contextId: 'c' },
        ...{ status: { state: 'working' }, final: false },
      });
    },
  ],
];

describe('push notifications', () => {
  it.each(vectors<PushCase>('push'))(
    '%s %s',
    (_id, _reason, { input: { url, event = '' }, expect: wanted }) => {
      if (url !== undefined) {
        checkUrl(url, wanted);
        return;
      }
      const check = EVENTS.find(([pattern]) => pattern.test(event))?.[1];
      expect(check).toBeDefined();
      check?.(wanted, event);
    },
  );
});
