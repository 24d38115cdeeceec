import { Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useBootstrap } from '../../app';
import { connect, playground as text } from '../../messages';
import { AsCode } from '../../ui/code';
import { recipeForms } from '../connect/recipe-forms';
import { RECIPES } from '../connect/recipes';
import { curlOf } from './curl/write-curl';
import { bodyOf, configOf, requestOf } from './draft/request';
import type { Draft } from './draft/draft';
import { DRAFT_TARGET, type ColumnSettings, type PlaygroundSettings } from './search';

interface CodeDialogProps {
  readonly onClose: () => void;
  readonly settings: PlaygroundSettings;
  readonly column: ColumnSettings;
  readonly draft: Draft;
}

/** Dialog with the request of the first column as code of each client. */
export function CodeDialog({ onClose, settings, column, draft }: CodeDialogProps): ReactElement {
  const { gateway_url: gateway } = useBootstrap();
  const config = configOf(column);
  const request = requestOf('', { ...settings, isStreamed: false }, column, draft);
  const curl = { id: 'request', label: text.curl, text: curlOf(request, gateway ?? '') };
  // The recipes support chat requests through a provider or a saved config only.
  const isChat = settings.api === 'chat' && column.target !== DRAFT_TARGET;
  const recipes = recipeForms(RECIPES, {
    base: gateway ?? '',
    key: null,
    provider: config === null ? column.target : '',
    model: column.model,
    config,
    body: isChat ? bodyOf({ ...settings, isStreamed: false }, column, draft) : null,
  });
  const forms = [curl, ...(isChat ? recipes.filter(({ id }) => id !== 'curl') : [])];
  return (
    <Modal opened onClose={onClose} title={text.code} size={820}>
      <AsCode label={text.code} forms={forms} />
      <p className="xs muted">{connect.keyIsMasked}</p>
    </Modal>
  );
}
