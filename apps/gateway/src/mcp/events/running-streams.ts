import type { ReplicaLink } from '../replicas/replica-link';

/** Milliseconds that another gateway may take to confirm that it runs a call. */
const ECHO_MS = 1_000;
/**
 * Milliseconds for which a call continues after the last heartbeat of a client that resumed its
 * stream.
 */
const HEARTBEAT_VALID_MS = 45_000;

/**
 * The streams of calls that this gateway runs. Gateways at which clients have resumed them send
 * heartbeats.
 */
export class RunningStreams {
  /**
   * Time of the last heartbeat of each stream, by `performance.now`; negative when there was none.
   */
  private readonly running = new Map<string, number>();
  private readonly echoes = new Map<string, () => void>();

  constructor(private readonly link: ReplicaLink) {
    link.on('follow', ({ from, stream }) => {
      if (this.noteHeartbeat(stream)) link.send(from, { kind: 'followed', stream });
    });
    link.on('followed', ({ stream }) => this.echoes.get(stream)?.());
  }

  add(stream: string): void {
    this.running.set(stream, -1);
  }

  delete(stream: string): void {
    this.running.delete(stream);
  }

  /** Whether a client has resumed the stream and its last heartbeat is still valid. */
  isFollowed(stream: string): boolean {
    const heartbeatAt = this.running.get(stream) ?? -1;
    return heartbeatAt >= 0 && performance.now() - heartbeatAt < HEARTBEAT_VALID_MS;
  }

  /**
   * Sends a heartbeat to the gateway of a call. Resolves to false when that gateway does not
   * confirm within `ECHO_MS` that it runs the call.
   */
  async follow(replica: string, stream: string): Promise<boolean> {
    if (replica === this.link.id) return this.noteHeartbeat(stream);
    return new Promise((resolve) => {
      const echo = (): void => end(true);
      const end = (isRunning: boolean): void => {
        clearTimeout(timer);
        if (this.echoes.get(stream) === echo) this.echoes.delete(stream);
        resolve(isRunning);
      };
      const timer = setTimeout(() => end(false), ECHO_MS);
      this.echoes.set(stream, echo);
      if (!this.link.send(replica, { kind: 'follow', from: this.link.id, stream })) end(false);
    });
  }

  private noteHeartbeat(stream: string): boolean {
    if (!this.running.has(stream)) return false;
    this.running.set(stream, performance.now());
    return true;
  }
}
