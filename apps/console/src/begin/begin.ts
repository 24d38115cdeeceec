// Runs while the rest of the console is still loading: sends the first requests and loads the code
// of the page that the address opens.
import { sendFirstRequests } from './begun';
import { firstPage } from './first-page';

const PAGES = import.meta.glob('../pages/*/page.tsx');

const first = firstPage(new URL(document.baseURI).pathname, location.pathname, location.hash);
if (first !== null) {
  sendFirstRequests();
  // The router loads the page too, and reports when it is missing.
  PAGES[`../pages/${first}/page.tsx`]?.().catch(() => undefined);
}
