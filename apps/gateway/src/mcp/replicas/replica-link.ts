import { randomHex, type Keyring } from '@gw/kernel';
import { openToken, sealToken } from '@gw/mcp';
import { PieceAssembly, piecesOf, type Piece } from './pieces';
import type { ReplicaBus } from './replica-bus';
import type { ReplicaMessage } from './replica-messages';

const PREFIX = 'gwm1.';
/** Channel name of all gateways, in place of the id of one gateway. */
const ALL = 'all';
const channelOf = (replica: string): string => `gw:mcp:r:${replica}`;
const bindingOf = (replica: string): string => `mcp/replica/${replica}`;
/**
 * Maximum length of a sealed piece: a UTF-16 unit has up to three UTF-8 bytes, and base64 adds a
 * third.
 */
const SEALED_LENGTH_MAX = 1_048_576;
/** Maximum UTF-16 units of messages that Redis has not accepted yet. */
const WAITING_LENGTH_MAX = 67_108_864;

type Kind = ReplicaMessage['kind'];
type OfKind<K extends Kind> = Extract<ReplicaMessage, { readonly kind: K }>;

/** A piece with its sender, so that a gateway ignores its own broadcasts. */
type Sent = Piece & { readonly from: string };

/**
 * Sends messages between the gateways of an installation. Each gateway has its own channel, and
 * messages are sealed for their receiver: with access to Redis alone, nobody can read or forge one.
 * A message may be lost, so no sender depends on a reply.
 */
export class ReplicaLink {
  /** Random id of this process for the other gateways. */
  readonly id = randomHex(16);
  private readonly handlers = new Map<Kind, (message: never) => void>();
  private readonly lossListeners: (() => void)[] = [];
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
          for (const lost of this.lossListeners) lost();
        },
      }),
    );
  }

  /** Sets the handler of a kind of messages. */
  on<K extends Kind>(kind: K, handle: (message: OfKind<K>) => void): void {
    this.handlers.set(kind, handle);
  }

  /** Adds a listener that is called when messages may have been lost. */
  whenLost(callback: () => void): void {
    this.lossListeners.push(callback);
  }

  /**
   * Sends a message in the background. Returns false when it is too long, or when too many messages
   * wait to be sent.
   */
  send(to: string, message: ReplicaMessage): boolean {
    const pieces = piecesOf(JSON.stringify(message));
    if (pieces === null || this.waiting > WAITING_LENGTH_MAX) return false;
    for (const piece of pieces) {
      const sent: Sent = { ...piece, from: this.id };
      this.publish(to, sealToken(this.ring, PREFIX, sent, bindingOf(to)));
    }
    return true;
  }

  /** Sends a message to all other gateways. Returns false as `send` does. */
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
    (this.handlers.get(message.kind) as ((message: ReplicaMessage) => void) | undefined)?.(message);
  }
}
