const NAME = 'tollgate-session';
/** Marks the messages of this tab. */
const TAB = Math.random();

/** Whose session a browser has, for its other tabs; null: it was signed out. */
export type Holder = { readonly user: string; readonly organisation: string } | null;

interface Message {
  readonly tab: number;
  readonly holder: Holder;
}

/** The holder of a session, by its user. */
export const holderOf = (self: {
  readonly id: string;
  readonly organisation: { readonly id: string };
}): Exclude<Holder, null> => ({ user: self.id, organisation: self.organisation.id });

export const isSame = (one: Holder, other: Holder): boolean =>
  one?.user === other?.user && one?.organisation === other?.organisation;

/** Sends to the other tabs of this browser that a session was opened, changed or ended here. */
export function tellTabs(holder: Holder): void {
  const channel = new BroadcastChannel(NAME);
  channel.postMessage({ tab: TAB, holder } satisfies Message);
  channel.close();
}

/** Calls `listener` for the messages of other tabs. Returns a function that stops it. */
export function onTabs(listener: (holder: Holder) => void): () => void {
  const channel = new BroadcastChannel(NAME);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.tab !== TAB) listener(data.holder);
  };
  return () => channel.close();
}
