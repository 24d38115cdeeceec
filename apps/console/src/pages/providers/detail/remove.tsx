import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { call } from '../../../api';
import { useWorkspace } from '../../../app';
import { providers } from '../../../messages';
import { Note } from '../../../ui/primitives';
import { RemoveDialog } from '../../fields/remove-dialog';
import type { Provider } from '../provider-types';

interface RemoveProviderProps {
  readonly provider: Provider;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Deletes a provider with its name typed, and says what names it. */
export function RemoveProvider({ provider, isOpen, onClose }: RemoveProviderProps): ReactElement {
  const { slug, name, used_by } = provider;
  const workspace = useWorkspace();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = async (): Promise<void> => {
    await call('providers_remove', { path: { provider: slug }, query: { workspace_id: workspace.id } });
    await queries.invalidateQueries({ queryKey: ['providers_list'] });
    onClose();
    await navigate({ to: '/w/$ws/providers', params: { ws: workspace.slug }, replace: true });
  };
  const isUsed = used_by !== undefined && used_by.configs + used_by.api_keys > 0;
  return (
    <RemoveDialog
      isOpen={isOpen}
      onClose={onClose}
      title={providers.removeTitle(name)}
      action={providers.remove}
      name={name}
      nameLabel={providers.removeName(name)}
      onRemove={remove}
    >
      <p>{providers.removeLead}</p>
      {isUsed && <Note tone="warn">{providers.removeUses(used_by.configs, used_by.api_keys)}</Note>}
    </RemoveDialog>
  );
}
