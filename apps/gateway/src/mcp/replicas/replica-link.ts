import { randomHex, type Keyring } from '@gw/kernel';
import { openToken, sealToken } from '@gw/mcp';
import { PieceAssembly, piecesOf, type Piece } from './pieces';
import type { ReplicaBus } from './replica-bus';
import type { ReplicaMessage } from './replica-messages';

const PREFIX = 'gwm1.';
/** In place of the name of a gateway. */
const ALL = 'all';
const channelOf = (replica: string): string => `gw:mcp:r:${replica}`;
const bindingOf = (replica: string): string => `mcp/replica/${replica}`;
/** A sealed piece: base64 is a third longer, and a UTF-16 unit is up to three bytes. */
const SEALED_LENGTH_MAX = 1_048_576;
/** UTF-16 units that wait for Redis to take them. */
const WAITING_LENGTH_MAX = 67_108_864;

type Kind = ReplicaMessage['kind'];
type OfKind<K extends Kind> = Extract<ReplicaMessage, { readonly kind: K }>;

/** A piece with its sender, so that a gateway skips what it sent to all itself. */
type Sent = Piece & { readonly from: string };

/**
 * Messages between the gateways of an installation. Each has a channel of its own, and messages are
 * sealed for their receiver: who can write to Redis can neither read nor make one. A message may be
 * lost, so every sender goes on without an echo.
 */
export class ReplicaLink {
  /** Names this process to the others, until it ends. */
  readonly id = randomHex(16);
  private readonly takers = new Map<Kind, (message: never) => void>();
  private readonly losses: (() => void)[] = [];
  private readonly pieces = new PieceAssembly();
  private readonly subscriptions: readonly (() => void)[];
  private waiting = 0;

  constructor(
    private readonly bus: ReplicaBus,
    private readonly ring: Keyring,
  ) {
    this.subscriptions = [this.id, ALL].map((name) =>
      bus.subscribe(channelOf(name), {
        onMessage: (text) => this.receive(name, text),
        onDown: () => {
          for (const lost of this.losses) lost();
        },
      }),
    );
  }

  /** Sets who takes the messages of a kind. */
  on<K extends Kind>(kind: K, take: (message: OfKind<K>) => void): void {
    this.takers.set(kind, take);
  }

  /** Calls back when messages may have been lost. */
  whenLost(callback: () => void): void {
    this.losses.push(callback);
  }

  /** Sends a message in the background. False: it is too long, or too much waits to be sent. */
  send(to: string, message: ReplicaMessage): boolean {
    const pieces = piecesOf(JSON.stringify(message));
    if (pieces === null || this.waiting > WAITING_LENGTH_MAX) return false;
    for (const piece of pieces) {
      const sent: Sent = { ...piece, from: this.id };
      this.publish(to, sealToken(this.ring, PREFIX, sent, bindingOf(to)));
    }
    return true;
  }

  /** Sends a message to all other gateways, as `send`. */
  broadcast(message: ReplicaMessage): boolean {
    return this.send(ALL, message);
  }

  close(): void {
    for (const unsubscribe of this.subscriptions) unsubscribe();
  }

  private publish(to: string, sealed: string): void {
    this.waiting += sealed.length;
    const sent = (): void => void (this.waiting -= sealed.length);
    this.bus.publish(channelOf(to), sealed).then(sent, sent);
  }

  private receive(name: string, text: string): void {
    const options = { prefix: PREFIX, boundTo: bindingOf(name), lengthMax: SEALED_LENGTH_MAX };
    const piece = openToken(this.ring, text, options) as Sent | null;
    if (piece === null || (name === ALL && piece.from === this.id)) return;
    const whole = this.pieces.add(piece);
    if (whole === null) return;
    const message = JSON.parse(whole) as ReplicaMessage;
    // A newer gateway may send kinds that this one does not know.
    (this.takers.get(message.kind) as ((message: ReplicaMessage) => void) | undefined)?.(message);
  }
}
