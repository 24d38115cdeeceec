import { INTERNAL, type McpListsChanged } from '@gw/contracts';
import { MINUTE_MS } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { ConnectionParts } from '../upstream-connections';

/** Readings of one integration in a row; a further one is allowed each minute. */
const BURST = 5;
const INTEGRATIONS_MAX = 10_000;

interface Reading {
  left: number;
  /** When `left` was counted, in milliseconds since 1970. */
  at: number;
  isReading: boolean;
  /** A change that came while the control plane was reading, or that waits for its minute. */
  isPending: boolean;
  timer: NodeJS.Timeout | null;
}

/**
 * Has the control plane read servers that announce changed lists: five times in a row, and once a minute from then
 * on. The last change is never lost: it waits for its turn.
 */
export class ChangedLists {
  private readonly readings = new LRUCache<string, Reading>({
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
    const reading = this.readings.get(integrationId) ?? newReading();
    this.readings.set(integrationId, reading, { noDisposeOnSet: true });
    reading.isPending = true;
    if (!reading.isReading && reading.timer === null) this.turn(integrationId, reading);
  }

  close(): void {
    this.readings.clear();
  }

  private turn(integrationId: string, reading: Reading): void {
    const now = Date.now();
    const earned = Math.floor((now - reading.at) / MINUTE_MS);
    if (earned > 0) [reading.left, reading.at] = [Math.min(BURST, reading.left + earned), now];
    if (reading.left > 0) {
      reading.left -= 1;
      void this.read(integrationId, reading);
      return;
    }
    reading.timer = setTimeout(
      () => {
        reading.timer = null;
        this.turn(integrationId, reading);
      },
      Math.max(0, reading.at + MINUTE_MS - now),
    ).unref();
  }

  /** While the control plane is away, its own readings find the change later. */
  private async read(integrationId: string, reading: Reading): Promise<void> {
    [reading.isReading, reading.isPending] = [true, false];
    const body: McpListsChanged = { integrationId };
    await this.post(INTERNAL.mcpListsChanged, body).catch(() => undefined);
    reading.isReading = false;
    this.wasRead();
    if (reading.isPending && this.readings.peek(integrationId) === reading) this.turn(integrationId, reading);
  }
}

const newReading = (): Reading => ({
  ...{ left: BURST, at: Date.now(), isReading: false, isPending: false, timer: null },
});
