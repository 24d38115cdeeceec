import { shell } from '../../messages';
import { writeClipboard } from '../../ui/primitives/copy';
import { announce } from '../../ui/primitives/live-region';
import { uiText } from '../../messages/en/ui';
import type { NamedThing, PageEntry } from '../page-entry';
import { inWorkspace } from '../shell/addresses';
import type { Hit } from './hits';

const words = shell.palette.acts;

function copyHit(key: string, label: string, textOf: () => string): Hit {
  const run = (): void => {
    void writeClipboard(textOf()).then((isCopied) =>
      announce(isCopied ? uiText.copy.copied : uiText.copy.failed),
    );
  };
  return { key, label, icon: 'copy', run };
}

/** Palette row of a resource, with its actions. */
export function thingHit(page: PageEntry, thing: NamedThing, ws: string): Hit {
  const { id, name, hint, to, logs } = thing;
  const address = inWorkspace(to, ws);
  const key = `${page.id} ${id}`;
  const open: Hit = { key: `${key} open`, label: words.open(name), icon: page.icon, address };
  const ofLogs: Hit = {
    key: `${key} logs`,
    label: words.logs(name),
    icon: 'list',
    address: `${inWorkspace('/w/$ws/logs', ws)}?${new URLSearchParams({ f: logs ?? '' }).toString()}`,
  };
  const actions = [
    open,
    ...(logs === undefined ? [] : [ofLogs]),
    copyHit(`${key} link`, words.copyLink, () => new URL(address.slice(1), document.baseURI).href),
    copyHit(`${key} id`, words.copyId, () => id),
  ];
  return { key, label: name, hint, icon: page.icon, address, actions };
}
