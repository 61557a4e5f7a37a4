// What the applications here share: they print what they saw, and wait for conditions.
export const port = Number(process.argv[2]);
export const say = (...words) =>
  console.log(words.map((w) => (typeof w === 'string' ? w : JSON.stringify(w))).join(' '));
export const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

export async function until(what, condition) {
  for (let i = 0; i < 600; i++) {
    if (await condition()) return;
    await sleep(50);
  }
  throw new Error('never ' + what);
}

/** The message of the error that `action` ends with. */
export async function refused(action) {
  try {
    await action();
    return 'not refused';
  } catch (error) {
    return error.message;
  }
}
