import { INTERNAL, type McpListsChanged } from '@gw/contracts';
import { MINUTE_MS } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import type { ConnectionParts } from '../upstream-connections';

/**
 * Maximum number of consecutive reads of one integration; after them, one is allowed each minute.
 */
const BURST = 5;
const INTEGRATIONS_MAX = 10_000;

interface ReadState {
  left: number;
  /** Time of `performance.now` at which `left` was last increased. */
  at: number;
  isReading: boolean;
  /** True when a change arrived during a read, or waits for the next permitted read. */
  isPending: boolean;
  timer: NodeJS.Timeout | null;
}

/**
 * Requests the control plane to read servers that announce changed lists: up to five times in a
 * row, then once a minute. The last change is never lost; it waits for the next permitted read.
 */
export class ChangedLists {
  private readonly readings = new LRUCache<string, ReadState>({
    max: INTEGRATIONS_MAX,
    dispose: ({ timer }) => timer && clearTimeout(timer),
  });

  /**
   * `onRead` is called when the control plane has read a server, whose document may have changed.
   */
  constructor(
    private readonly post: ConnectionParts['post'],
    private readonly onRead: () => void,
  ) {}

  /** Records that the server of an integration announced a change. */
  changed(integrationId: string): void {
    const reading = this.readings.get(integrationId) ?? newReading();
    this.readings.set(integrationId, reading, { noDisposeOnSet: true });
    reading.isPending = true;
    if (!reading.isReading && reading.timer === null) this.schedule(integrationId, reading);
  }

  close(): void {
    this.readings.clear();
  }

  private schedule(integrationId: string, reading: ReadState): void {
    const now = performance.now();
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
        this.schedule(integrationId, reading);
      },
      Math.max(0, reading.at + MINUTE_MS - now),
    ).unref();
  }

  /**
   * Requests one read. While the control plane cannot be reached, its own periodic reads find the
   * change later.
   */
  private async read(integrationId: string, reading: ReadState): Promise<void> {
    [reading.isReading, reading.isPending] = [true, false];
    const body: McpListsChanged = { integrationId };
    await this.post(INTERNAL.mcpListsChanged, body).catch(() => undefined);
    reading.isReading = false;
    this.onRead();
    if (reading.isPending && this.readings.peek(integrationId) === reading)
      this.schedule(integrationId, reading);
  }
}

const newReading = (): ReadState => ({
  ...{ left: BURST, at: performance.now(), isReading: false, isPending: false, timer: null },
});
