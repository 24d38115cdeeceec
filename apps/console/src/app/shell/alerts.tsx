import { ActionIcon } from '@mantine/core';
import { lazy, Suspense, useState, type ReactElement } from 'react';
import { shell } from '../../messages';
import { Icon } from '../../ui/icons/icon';
import { ErrorBoundary } from '../../ui/states/error-boundary';
import { useIdle } from './use-idle';
import { useShownWorkspace } from './use-shown-workspace';

const load = () => import('../../needs/bell');
const Bell = lazy(async () => ({ default: (await load()).Bell }));

/** The bell of the top bar. Its code is loaded when the bell is opened or the browser is idle. */
export function Alerts(): ReactElement | null {
  const workspace = useShownWorkspace();
  const isIdle = useIdle(load);
  const [isWanted, setWanted] = useState(false);
  if (workspace === null) return null;
  const plain = (
    <ActionIcon aria-label={shell.alerts} onClick={() => setWanted(true)}>
      <Icon name="bell" />
    </ActionIcon>
  );
  if (!isIdle && !isWanted) return plain;
  return (
    <ErrorBoundary fallback={plain}>
      <Suspense fallback={plain}>
        <Bell key={workspace.id} workspace={workspace} isWanted={isWanted} />
      </Suspense>
    </ErrorBoundary>
  );
}
