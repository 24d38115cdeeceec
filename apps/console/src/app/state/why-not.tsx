import type { ReactElement } from 'react';
import { access } from '../../messages';
import type { Refusal } from './access';
import { useSelf, useWorkspaceOrNull } from './session-context';
import './can.css';

/** Shows which right is missing, why, and which roles have it. */
export function WhyNot({ refusal }: { readonly refusal: Refusal }): ReactElement {
  const self = useSelf();
  const workspace = useWorkspaceOrNull();
  const role = workspace?.role ?? self.organisation.role;
  const roles = refusal.roles.map((name) => access.roleNames[name] ?? name);
  return (
    <div className="why-not">
      <p>{access.needs(refusal.scopes)}</p>
      <p>{access.youAre(role, workspace?.name ?? self.organisation.name)}</p>
      {refusal.closedBy.length > 0 && <p>{access.closedBy(refusal.closedBy)}</p>}
      {roles.length > 0 && <p>{access.roles(roles)}</p>}
    </div>
  );
}
