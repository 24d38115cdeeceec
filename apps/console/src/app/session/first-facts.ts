import type { QueryClient } from '@tanstack/react-query';
import { accessOf, read, type OperationId } from '../../api';
import { begunAt } from '../../begin/begun';

/** The session, its rights and the installation. They change seldom. */
export const FACTS = { staleTime: 60_000 };

/**
 * Takes over the session that was requested before the console was there, so that the first drawing has it. A refusal is left to the page,
 * which shows the sign-in.
 */
export async function takeFirstFacts(queries: QueryClient): Promise<void> {
  const take = async (id: Extract<OperationId, 'auth_self' | 'auth_permissions' | 'console_bootstrap'>) => {
    const answer = await begunAt(accessOf(id).path)?.catch(() => undefined);
    if (answer?.ok === true) await queries.prefetchQuery(read(id, {}, FACTS));
  };
  await Promise.all([take('auth_self'), take('auth_permissions'), take('console_bootstrap')]);
}
