import { Modal } from '@mantine/core';
import type { ReactElement } from 'react';
import { useBootstrap } from '../../app';
import { connect, playground as text } from '../../messages';
import { AsCode } from '../../ui/code';
import { recipeForms } from '../connect/recipe-forms';
import { RECIPES } from '../connect/recipes';
import { bodyOf, configOf } from './draft/request';
import type { Draft } from './draft/draft';
import type { ColumnSettings, PlaygroundSettings } from './search';

interface CodeDialogProps {
  readonly onClose: () => void;
  readonly settings: PlaygroundSettings;
  readonly column: ColumnSettings;
  readonly draft: Draft;
}

/** What the first column sends, as code of each client. */
export function CodeDialog({ onClose, settings, column, draft }: CodeDialogProps): ReactElement {
  const { gateway_url: gateway } = useBootstrap();
  const config = configOf(column);
  const forms = recipeForms(RECIPES, {
    base: gateway ?? '',
    key: null,
    provider: config === null ? column.target : '',
    model: column.model,
    config,
    body: settings.api === 'chat' ? bodyOf({ ...settings, isStreamed: false }, column, draft) : null,
  });
  return (
    <Modal opened onClose={onClose} title={text.code} size={820}>
      <AsCode label={text.code} forms={forms} />
      <p className="xs muted">{connect.keyIsMasked}</p>
    </Modal>
  );
}
