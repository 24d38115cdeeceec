// The browser of the journeys: CHROMIUM_PATH, else chromium or google-chrome on the PATH.
const { accessSync, constants } = require('node:fs');
const { delimiter, join } = require('node:path');

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Path of a Chromium; null where there is none. */
function chromiumPath({ CHROMIUM_PATH, PATH = '' } = process.env) {
  if (CHROMIUM_PATH) return CHROMIUM_PATH;
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find(isProgram) ?? null;
}

module.exports = { chromiumPath };
