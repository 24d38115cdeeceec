import { Button } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Can } from '../../../app';
import { providers } from '../../../messages';
import { Icon } from '../../../ui/icons/icon';
import { Page } from '../../../ui/states';
import { ProviderStatus } from '../provider-columns';
import type { Provider } from '../provider-types';

interface ProviderFrameProps {
  /** A provider or virtual key; undefined while loading. */
  readonly shown: Pick<Provider, 'name' | 'status'> | undefined;
  readonly removal: 'providers_remove' | 'virtualKeys_remove';
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** Frame of the page of a provider or virtual key, with name, status and deletion. */
export function ProviderFrame({ shown, removal, onRemove, children }: ProviderFrameProps): ReactElement {
  return (
    <Page
      title={shown?.name ?? providers.title}
      badge={shown === undefined ? null : <ProviderStatus status={shown.status} />}
      actions={
        shown === undefined || shown.status === 'archived' ? undefined : (
          <Can operation={removal}>
            <Button leftSection={<Icon name="trash" size={14} />} onClick={onRemove}>
              {providers.remove}
            </Button>
          </Can>
        )
      }
    >
      {children}
    </Page>
  );
}
