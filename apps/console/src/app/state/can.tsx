import { ActionIcon } from '@mantine/core';
import { lazy, type ReactElement, type ReactNode } from 'react';
import type { OperationId } from '../../api';
import { access } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { PopupButton } from '../../ui/popup';
import { useRefusal } from './access';
import './can.css';

const WhyNotPopup = lazy(async () => ({ default: (await import('./why-not-popup')).WhyNotPopup }));

interface CanProps {
  readonly operation: OperationId;
  readonly children: ReactNode;
}

/**
 * Renders its children. When the caller may not call the operation, they are disabled, next to a
 * lock that explains why.
 */
export function Can({ operation, children }: CanProps): ReactElement {
  const refusal = useRefusal(operation);
  if (refusal === null) return <>{children}</>;
  return (
    <span className="locked">
      <span inert className="locked-content">
        {children}
      </span>
      <ActionIcon
        component={PopupButton}
        opens="dialog"
        popup={(popup) => <WhyNotPopup {...popup} refusal={refusal} />}
        aria-label={access.lock}
      >
        <Icon name="lock" />
      </ActionIcon>
    </span>
  );
}
