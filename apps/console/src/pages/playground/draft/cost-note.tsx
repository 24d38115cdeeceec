import type { ReactElement } from 'react';
import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { limits, playground as text } from '../../../messages';
import { amountWords, budgetWords } from '../../fields/limit-words';

/** Note that requests cost money, with the rest of the workspace's budgets. */
export function CostNote(): ReactElement {
  const { id: workspaceId } = useWorkspace();
  const can = useCan('workspaces_get');
  const { data } = useRead('workspaces_get', { path: { workspaceId } }, { enabled: can, staleTime: 60_000 });
  return (
    <div className="xs muted">
      <p>{text.costs}</p>
      {(data?.usage_limits ?? []).map((limit) => {
        const left = Math.max(0, limit.credit_limit - (limit.current_usage ?? 0));
        return (
          <p key={limit.type}>
            {text.workspaceHas(limits.left(amountWords(limit.type, left)), budgetWords(limit))}
          </p>
        );
      })}
    </div>
  );
}
