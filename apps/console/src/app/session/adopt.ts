import type { QueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api';
import type { Self } from '../state/session-context';

/** Options of a query whose call works once: it is never repeated by itself. */
export const ONCE = {
  staleTime: 'static',
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** Makes a user whose session was just opened the one of this tab, and reads everything else again. */
export async function adoptSession(queries: QueryClient, self: Self): Promise<void> {
  const own = keyOf('auth_self', {});
  queries.setQueryData(own, self);
  await queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== own[0] });
}
