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

/** A case with the URL of a push configuration, or with the text of a situation. */
interface PushCase {
  readonly input: { readonly url?: string; readonly event?: string };
  readonly expect: string;
}

/**
 * Expectations of the cases with a URL. `either`: it may be accepted or rejected, but is checked
 * without an error. `refused at send`: it is accepted when the configuration is saved, and refused
 * when an event is sent and the name has an address that is not public. `not followed`: it is
 * accepted, and a redirect ends the delivery.
 */
const URL_EXPECTATIONS = ['accept', 'reject', 'either', 'refused at send', 'not followed'];

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

/**
 * Checks one URL case. `text` is a URL, in which `<GATEWAY>` stands for the gateway’s own origin. A
 * remark in parentheses or the target of a redirect (` -> 302 …`) may follow the URL. `wanted` is
 * one of `URL_EXPECTATIONS`.
 */
function checkUrl(text: string, wanted: string): void {
  expect(URL_EXPECTATIONS).toContain(wanted);
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

/**
 * The check of each situation, found by a pattern that matches its text (`input.event`). A check
 * gets the expectation of the case and that text.
 */
const SITUATION_CHECKS: readonly (readonly [RegExp, (wanted: string, situation: string) => void])[] = [
  [
    /wrong token/,
    (wanted) => {
      expect(delivered('guess', 't')).toEqual({ kind: 'refused', status: Number.parseInt(wanted, 10) });
      expect(delivered('secret', 't')).toEqual({ kind: 'accepted', event: EVENT });
    },
  ],
  [
    /another task/,
    (wanted) => {
      expect(wanted).toBe('refused');
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
    (wanted, situation) => {
      const earlierConfigs = Number.parseInt(situation, 10) - 1;
      expect(wanted).toBe('reject');
      expect(() => readPushConfig({ url: HOOK }, earlierConfigs, RULES)).toThrow(A2aError);
    },
  ],
  [
    /speaks 0\.3/,
    (wanted) => {
      expect(wanted).toBe('payload in 0.3 form');
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
    (_id, _reason, { input: { url, event: situation = '' }, expect: wanted }) => {
      if (url !== undefined) {
        checkUrl(url, wanted);
        return;
      }
      const check = SITUATION_CHECKS.find(([pattern]) => pattern.test(situation))?.[1];
      expect(check).toBeDefined();
      check?.(wanted, situation);
    },
  );
});
