import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { NEEDS_FACTOR, onSessionRefusal } from '../../api';
import type { Self } from '../state/session-context';
import { forgetOthers } from './leave';
import { holderOf, isSame, onTabs, type Holder } from './tabs';

/** Time before the expiry at which a session is `ending`, in milliseconds. */
export const WARNING_MS = 300_000;
/** Maximum wait of one timer; browser timers overflow after 24 days. */
const WAIT_MAX_MS = 86_400_000;
/** Wait between checks of a session that has expired by the clock of this machine. */
const WAIT_MIN_MS = 60_000;

/**
 * `ending`: the session expires within five minutes. `ended`: the API refuses it. `factor`: it may
 * only add a second factor. `left`: the user signed out in another tab. `changed`: another tab
 * opened another user or another organisation of the user.
 */
export type SessionState = 'open' | 'ending' | 'ended' | 'factor' | 'left' | 'changed';

const wait = (left: number): number => Math.min(WAIT_MAX_MS, left > 0 ? left : WAIT_MIN_MS);

/** Tracks the session of a page until it ends. A hidden tab makes no calls. */
export function useSessionState(self: Self | undefined): {
  readonly state: SessionState;
  /** The user of the session that the page was opened with. */
  readonly holder: Holder;
  readonly setState: (state: SessionState) => void;
} {
  const queries = useQueryClient();
  const [state, setState] = useState<SessionState>('open');
  // The page belongs to the first user; another user must reload it.
  const [holder, setHolder] = useState<Holder>(null);
  if (holder === null && self !== undefined) {
    // Before the forms of the page, which render after this, read their drafts.
    forgetOthers(holderOf(self));
    setHolder(holderOf(self));
  }
  if (holder !== null && self !== undefined && !isSame(holder, holderOf(self)) && state !== 'changed')
    setState('changed');
  useEffect(
    () =>
      onSessionRefusal(({ type }) => {
        if (type === NEEDS_FACTOR) setState((now) => (now === 'open' || now === 'ending' ? 'factor' : now));
        else setState((now) => (now === 'left' || now === 'changed' ? now : 'ended'));
      }),
    [],
  );
  useEffect(
    () =>
      onTabs((opened) => {
        if (holder !== null && opened === null) setState('left');
        else if (holder !== null && !isSame(holder, opened)) setState('changed');
        else {
          setState('open');
          void queries.invalidateQueries();
        }
      }),
    [holder, queries],
  );
  const endsAt = self?.expires_at ?? null;
  useEffect(() => {
    if (endsAt === null) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const left = Date.parse(endsAt) - Date.now();
      if (left > WARNING_MS) {
        timer = setTimeout(look, wait(left - WARNING_MS));
        return;
      }
      // The API decides whether the session has ended, because the clock of this machine may be
      // wrong.
      if (left <= 0 && document.visibilityState === 'visible')
        void queries.invalidateQueries({ queryKey: ['auth_self'] });
      setState((now) => (now === 'open' ? 'ending' : now));
      timer = setTimeout(look, wait(left));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [endsAt, queries]);
  return { state, holder, setState };
}
