import type { QueryClient } from '@tanstack/react-query';
import { accessOf, read, type OperationId } from '../../api';
import { earlyResponse } from '../../begin/begun';

/** Options of the reads of session, permissions and installation, which rarely change. */
export const FACTS = { staleTime: 60_000 };

/**
 * Puts the session that was requested at page load into the query cache, so that the first render
 * has it. Ignores a refused request: the page then shows the sign-in.
 */
export async function takeFirstFacts(queries: QueryClient): Promise<void> {
  const take = async (id: Extract<OperationId, 'auth_self' | 'auth_permissions' | 'console_bootstrap'>) => {
    const answer = await earlyResponse(accessOf(id).path)?.catch(() => undefined);
    if (answer?.ok === true) await queries.prefetchQuery(read(id, {}, FACTS));
  };
  await Promise.all([take('auth_self'), take('auth_permissions'), take('console_bootstrap')]);
}
