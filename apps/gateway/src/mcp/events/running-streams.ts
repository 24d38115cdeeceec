import type { ReplicaLink } from '../replicas/replica-link';

/** How long a gateway may take to say that it makes a call. */
const ECHO_MS = 1_000;
/** A call goes on for so long after the last sign of a client that resumed its stream. */
const FOLLOWED_MS = 45_000;

/** Streams of calls that this gateway makes. Gateways at which clients resume them show that they follow. */
export class RunningStreams {
  /** When the last sign of a follower came, by `performance.now`; negative: there was none. */
  private readonly running = new Map<string, number>();
  private readonly echoes = new Map<string, () => void>();

  constructor(private readonly link: ReplicaLink) {
    link.on('follow', ({ from, stream }) => {
      if (this.sign(stream)) link.send(from, { kind: 'followed', stream });
    });
    link.on('followed', ({ stream }) => this.echoes.get(stream)?.());
  }

  add(stream: string): void {
    this.running.set(stream, -1);
  }

  delete(stream: string): void {
    this.running.delete(stream);
  }

  /** Whether a client resumed the stream and was there lately. */
  isFollowed(stream: string): boolean {
    const signAt = this.running.get(stream) ?? -1;
    return signAt >= 0 && performance.now() - signAt < FOLLOWED_MS;
  }

  /** Shows the gateway of a call that a client follows its stream. False: no gateway makes the call now. */
  async follow(replica: string, stream: string): Promise<boolean> {
    if (replica === this.link.id) return this.sign(stream);
    return new Promise((resolve) => {
      const echo = (): void => end(true);
      const end = (isThere: boolean): void => {
        clearTimeout(timer);
        if (this.echoes.get(stream) === echo) this.echoes.delete(stream);
        resolve(isThere);
      };
      const timer = setTimeout(() => end(false), ECHO_MS);
      this.echoes.set(stream, echo);
      if (!this.link.send(replica, { kind: 'follow', from: this.link.id, stream })) end(false);
    });
  }

  private sign(stream: string): boolean {
    if (!this.running.has(stream)) return false;
    this.running.set(stream, performance.now());
    return true;
  }
}
