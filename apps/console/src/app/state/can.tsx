import { ActionIcon, Popover } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { OperationId } from '../../api';
import { access } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { useRefusal, type Refusal } from './access';
import { useSelf, useWorkspaceOrNull } from './session-context';
import './can.css';

/** Says which right is missing, why, and who has it. */
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

interface CanProps {
  readonly operation: OperationId;
  readonly children: ReactNode;
}

/** Its children for those who may call the operation here; for others the children without effect, and a lock that says why. */
export function Can({ operation, children }: CanProps): ReactElement {
  const refusal = useRefusal(operation);
  if (refusal === null) return <>{children}</>;
  return (
    <span className="locked">
      <span inert className="locked-content">
        {children}
      </span>
      <Popover position="bottom-end" width={320}>
        <Popover.Target>
          <ActionIcon aria-label={access.lock}>
            <Icon name="lock" />
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <WhyNot refusal={refusal} />
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}
