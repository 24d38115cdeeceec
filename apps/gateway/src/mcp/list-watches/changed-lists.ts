import { INTERNAL, type McpListsChanged } from '@gw/contracts';
import { MINUTE_MS } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { ConnectionParts } from '../upstream-connections';

/** Readings of one integration at once after each other; a further one is allowed each minute. */
const BURST = 5;
const INTEGRATIONS_MAX = 10_000;

interface Asked {
  left: number;
  /** When `left` was counted, in milliseconds since 1970. */
  at: number;
  isAsking: boolean;
  /** A change that came while the control plane was reading, or that waits for its minute. */
  isPending: boolean;
  timer: NodeJS.Timeout | null;
}

/**
 * Has the control plane read servers that announce changed lists: five times in a row, and once a minute from then
 * on. The last change is never lost: it waits for its turn.
 */
export class ChangedLists {
  private readonly asked = new LRUCache<string, Asked>({
    max: INTEGRATIONS_MAX,
    dispose: ({ timer }) => timer && clearTimeout(timer),
  });

  /** `wasRead`: the control plane has read a server, and its document may have changed. */
  constructor(
    private readonly post: ConnectionParts['post'],
    private readonly wasRead: () => void,
  ) {}

  /** Notes that the server of an integration announced a change. */
  changed(integrationId: string): void {
    const asked = this.asked.get(integrationId) ?? newlyAsked();
    this.asked.set(integrationId, asked, { noDisposeOnSet: true });
    asked.isPending = true;
    if (!asked.isAsking && asked.timer === null) this.turn(integrationId, asked);
  }

  close(): void {
    this.asked.clear();
  }

  private turn(integrationId: string, asked: Asked): void {
    const now = Date.now();
    const earned = Math.floor((now - asked.at) / MINUTE_MS);
    if (earned > 0) [asked.left, asked.at] = [Math.min(BURST, asked.left + earned), now];
    if (asked.left > 0) {
      asked.left -= 1;
      void this.ask(integrationId, asked);
      return;
    }
    asked.timer = setTimeout(
      () => {
        asked.timer = null;
        this.turn(integrationId, asked);
      },
      Math.max(0, asked.at + MINUTE_MS - now),
    ).unref();
  }

  /** While the control plane is away, its own readings find the change later. */
  private async ask(integrationId: string, asked: Asked): Promise<void> {
    [asked.isAsking, asked.isPending] = [true, false];
    const body: McpListsChanged = { integrationId };
    await this.post(INTERNAL.mcpListsChanged, body).catch(() => undefined);
    asked.isAsking = false;
    this.wasRead();
    if (asked.isPending && this.asked.peek(integrationId) === asked) this.turn(integrationId, asked);
  }
}

const newlyAsked = (): Asked => ({
  ...{ left: BURST, at: Date.now(), isAsking: false, isPending: false, timer: null },
});
