const NAME = 'tollgate-session';
/** Identifies the messages of this tab. */
const TAB = Math.random();

/** User and organisation of the browser's session; null after a sign-out. */
export type Holder = { readonly user: string; readonly organisation: string } | null;

interface Message {
  readonly tab: number;
  readonly holder: Holder;
}

/** Returns the holder of a user's session. */
export const holderOf = (self: {
  readonly id: string;
  readonly organisation: { readonly id: string };
}): Exclude<Holder, null> => ({ user: self.id, organisation: self.organisation.id });

export const isSame = (one: Holder, other: Holder): boolean =>
  one?.user === other?.user && one?.organisation === other?.organisation;

/** Notifies the other tabs of this browser that a session was opened, changed or ended. */
export function notifyTabs(holder: Holder): void {
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
