import { madeCallId } from '../values/tool-ids';

interface Called {
  readonly id: string;
  responded: boolean;
}

/**
 * Pairs results with calls, because Gemini clients may send both without ids. A call without an id
 * gets one that depends on its position in the history, so that it stays the same in later
 * requests.
 */
export class CallIds {
  private readonly byId = new Map<string, Called>();
  private readonly byName = new Map<string, { readonly calls: Called[]; next: number }>();

  call(name: string, id: string | undefined, turn: number, part: number): string {
    const called = { id: id ?? madeCallId('history', turn, part), responded: false };
    this.byId.set(called.id, called);
    const named = this.byName.get(name);
    if (named === undefined) this.byName.set(name, { calls: [called], next: 0 });
    else named.calls.push(called);
    return called.id;
  }

  /**
   * Returns the id of the call that a result belongs to: the one with its id, else the first one of
   * that name without a result.
   */
  result(name: string, id: string | undefined): string | undefined {
    const called = (id === undefined ? undefined : this.byId.get(id)) ?? this.firstUnanswered(name);
    if (called === undefined) return undefined;
    called.responded = true;
    return called.id;
  }

  private firstUnanswered(name: string): Called | undefined {
    const named = this.byName.get(name);
    if (named === undefined) return undefined;
    while (named.calls[named.next]?.responded === true) named.next += 1;
    return named.calls[named.next];
  }
}

/**
 * Returns whether an id has the form of ids that the gateway generates. Google does not know such
 * ids.
 */
export const isMadeId = (id: string): boolean => /^call_[0-9A-Za-z]{24}$/.test(id);
