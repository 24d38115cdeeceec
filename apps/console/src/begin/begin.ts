// Runs while the rest of the console is still being loaded: sends the first requests, and loads the page of the address.
import { beginSession } from './begun';
import { firstPage } from './first-page';

const PAGES = import.meta.glob('../pages/*/page.tsx');

const first = firstPage(new URL(document.baseURI).pathname, location.pathname, location.hash);
if (first !== null) {
  beginSession();
  // The router loads it too, and tells when it is missing.
  PAGES[`../pages/${first}/page.tsx`]?.().catch(() => undefined);
}
