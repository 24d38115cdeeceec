import { createHmac } from 'node:crypto';
import {
  A2aError,
  PUSH_TIMEOUT_MS,
  pushRequest,
  pushUrlFault,
  pushVerdict,
  type Members,
  type PushConfig,
  type PushRequest,
} from '@gw/a2a';
import { Shares, type Keyring } from '@gw/kernel';
import { endedBy, openResponse, type OutboundClient } from '@gw/outbound';
import type { Log } from '@gw/web';
import type { PushAgents } from './push-agents';
import type { PushRulesOf } from './push-rules';
import { openedConfig } from './push-secrets';
import type { PushRecord, PushStore, StoredPushConfig } from './push-store';

export interface PushSenderParts {
  readonly outbound: Pick<OutboundClient, 'dispatch'>;
  readonly rules: PushRulesOf;
  readonly ring: Keyring;
  readonly agents: Pick<PushAgents, 'of'>;
  readonly store: Pick<PushStore, 'configs'>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Maximum number of notifications that this process sends or holds for their next attempt;
 * workspaces share it.
 */
const WAITING_MAX = 2_000;
/** Maximum bytes of the bodies of these notifications; workspaces share them. */
const WAITING_BYTES_MAX = 67_108_864;

/** An event that is being sent to one config of a client. */
interface Notification {
  readonly record: PushRecord;
  readonly configId: string;
  readonly request: PushRequest;
  /** Releases the place and the memory of the notification. */
  readonly release: () => void;
}

/**
 * Sends notifications to clients, with retries. Notifications are held in this process and are lost
 * when it ends.
 */
export class PushSender {
  private readonly shares = new Shares(WAITING_MAX);
  private readonly bytes: Shares;
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly closing = new AbortController();

  constructor(
    private readonly parts: PushSenderParts,
    bytesMax = WAITING_BYTES_MAX,
  ) {
    this.bytes = new Shares(bytesMax);
  }

  /**
   * Sends an event of A2A 1.0 to a client's config in the background. Returns false when too many
   * notifications of the workspace, or too many bytes of them, wait.
   */
  send(record: PushRecord, stored: StoredPushConfig, event: Members): boolean {
    const { organisationId, owner } = record;
    const share = this.shares.of(owner.workspaceId, organisationId);
    if (!share.fits(1)) return false;
    const config = openedConfig(this.parts.ring, record, stored);
    const request = requestOf(config, event, stored);
    if (request === null) return true;
    const { length } = request.body;
    const bytes = this.bytes.of(owner.workspaceId, organisationId);
    if (!bytes.take(length)) return false;
    share.take(1);
    const release = (): void => {
      share.give(1);
      bytes.give(length);
    };
    void this.attempt({ record, configId: stored.id, request, release }, 1);
    return true;
  }

  close(): void {
    this.closing.abort(new Error('The gateway is closing.'));
    for (const timer of this.timers) clearTimeout(timer);
  }

  /** Never rejects. */
  private async attempt(notification: Notification, attempt: number): Promise<void> {
    const { record, request, release } = notification;
    const { fault, isKnown } = await this.faultOf(notification, attempt);
    const status = fault === null && isKnown ? await this.post(record, request) : null;
    const verdict = fault === null ? pushVerdict(status, attempt) : ({ kind: 'dropped' } as const);
    if (verdict.kind === 'retry') {
      const timer = setTimeout(() => {
        this.timers.delete(timer);
        void this.attempt(notification, attempt + 1);
      }, verdict.delayMs).unref();
      this.timers.add(timer);
      return;
    }
    if (verdict.kind === 'dropped')
      this.parts.log.warn(
        { agent: record.agent, workspaceId: record.owner.workspaceId, attempt, status, fault },
        'push notification dropped',
      );
    release();
  }

  /**
   * Returns why a notification may not be sent; `fault` is null when it may. `isKnown` is false
   * when the right to it cannot be read now.
   */
  private async faultOf(
    notification: Notification,
    attempt: number,
  ): Promise<{ readonly fault: string | null; readonly isKnown: boolean }> {
    const { url } = notification.request;
    try {
      // The first attempt needs no check, because the event has just been checked.
      const ended = attempt === 1 ? null : await this.withdrawalOf(notification);
      return { fault: ended ?? pushUrlFault(url, this.parts.rules(url)), isKnown: true };
    } catch (error) {
      this.parts.log.warn({ agent: notification.record.agent, attempt, err: error }, 'push right unknown');
      return { fault: null, isKnown: false };
    }
  }

  private async withdrawalOf({ record, configId }: Notification): Promise<string | null> {
    if ((await this.parts.agents.of(record)) === null)
      return 'The caller who wanted it may no longer use the agent.';
    const configs = await this.parts.store.configs(record);
    return configs.some(({ id }) => id === configId) ? null : 'The client has deleted its config.';
  }

  /**
   * Sends a notification and returns the status of the response; null when no response arrived in
   * time, or when the host's current address is refused.
   */
  private async post(record: PushRecord, { url, headers, body }: PushRequest): Promise<number | null> {
    const { origin, pathname, search } = new URL(url);
    try {
      const response = await openResponse(
        this.parts.outbound,
        {
          ...{ origin, path: pathname + search, method: 'POST', body },
          headers: Object.entries({ 'user-agent': 'tollgate', ...headers }).flat(),
          poolClass: `a2a-push/${record.organisationId}`,
          connectTimeoutMs: PUSH_TIMEOUT_MS,
          headersTimeoutMs: PUSH_TIMEOUT_MS,
          idleTimeoutMs: PUSH_TIMEOUT_MS,
          totalTimeoutMs: PUSH_TIMEOUT_MS,
        },
        endedBy(this.closing.signal),
        {
          errorOf: (error) => error,
          tooLarge: (what) => new Error(what),
          noMemory: () => new Error('no memory'),
        },
      );
      response.body.discard();
      return response.status;
    } catch {
      return null;
    }
  }
}

/**
 * Builds the request of a notification; null when the client's A2A version cannot represent the
 * event.
 */
function requestOf(config: PushConfig, event: Members, { version }: StoredPushConfig): PushRequest | null {
  const { token } = config;
  try {
    return pushRequest(config, event, {
      version,
      ...(token !== null && { sign: (body: Buffer) => signatureOf(token, body) }),
    });
  } catch (error) {
    if (error instanceof A2aError) return null;
    throw error;
  }
}

/** Signs a body with the token of the client's config, so that the client can verify it. */
const signatureOf = (token: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', token).update(body).digest('hex')}`;
