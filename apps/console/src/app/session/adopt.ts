import type { QueryClient } from '@tanstack/react-query';
import { keyOf } from '../../api';
import type { Self } from '../state/session-context';

/** Options of a query whose call works only once, so that TanStack Query never repeats it. */
export const ONCE = {
  staleTime: 'static',
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const;

/** Makes the user of a new session the user of this tab and invalidates all other cached reads. */
export async function adoptSession(queries: QueryClient, self: Self): Promise<void> {
  const own = keyOf('auth_self', {});
  queries.setQueryData(own, self);
  await queries.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== own[0] });
}
