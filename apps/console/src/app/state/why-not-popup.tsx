import { Popover } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PopupProps } from '../../ui/popup';
import { Anchor, usePopup } from '../../ui/popup/anchor';
import type { Refusal } from './access';
import { WhyNot } from './why-not';

/** Popup of a lock that explains why the caller may not do something. */
export function WhyNotPopup({
  anchor,
  refusal,
  ...popup
}: PopupProps & { readonly refusal: Refusal }): ReactElement {
  return (
    <Popover {...usePopup(popup)} position="bottom-end" width={320}>
      <Popover.Target>
        <Anchor element={anchor} />
      </Popover.Target>
      <Popover.Dropdown>
        <WhyNot refusal={refusal} />
      </Popover.Dropdown>
    </Popover>
  );
}
