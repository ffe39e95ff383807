// Makes and uses passkeys. A form asks for what is to be signed, the browser signs it, and the form brings it to the server.
// Without this script the forms stay hidden and the mailed link is the way in.

/** @param {string} text */
const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

/** @param {ArrayBuffer} bytes */
const textOf = (bytes) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const withBytes = (credential) => ({ ...credential, id: bytesOf(credential.id) });

async function create(options) {
  const made = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      user: { ...options.user, id: bytesOf(options.user.id) },
      excludeCredentials: (options.excludeCredentials ?? []).map(withBytes),
    },
  });
  const { clientDataJSON, attestationObject } = made.response;
  return {
    id: textOf(made.rawId),
    response: {
      clientDataJSON: textOf(clientDataJSON),
      attestationObject: textOf(attestationObject),
      transports: made.response.getTransports?.() ?? [],
    },
  };
}

async function use(options) {
  const used = await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: bytesOf(options.challenge),
      allowCredentials: (options.allowCredentials ?? []).map(withBytes),
    },
  });
  const { clientDataJSON, authenticatorData, signature, userHandle } = used.response;
  return {
    id: textOf(used.rawId),
    response: {
      clientDataJSON: textOf(clientDataJSON),
      authenticatorData: textOf(authenticatorData),
      signature: textOf(signature),
      ...(userHandle?.byteLength > 0 && { userHandle: textOf(userHandle) }),
    },
  };
}

/** What to tell a person for what a browser throws. */
function sentenceFor(error) {
  if (error.name === 'InvalidStateError') return 'This device has a passkey for Waypost already.';
  if (error.name === 'NotAllowedError') return 'No passkey was used. Try again, or sign in by a mailed link.';
  if (error.name === 'SecurityError') return 'Passkeys do not work at this address of the dashboard.';
  return 'That did not work. Reload the page and try again.';
}

/** @param {HTMLFormElement} form */
function offer(form) {
  const run = form.dataset.passkey === 'create' ? create : use;
  const fault = form.querySelector('[data-passkey-fault]');
  form.hidden = false;
  for (const note of document.querySelectorAll('[data-without-passkeys]')) note.hidden = true;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    fault.textContent = '';
    try {
      const asked = await fetch(form.dataset.options, {
        method: 'POST',
        body: new URLSearchParams(new FormData(form)),
      });
      if (!asked.ok) throw new Error(`answered ${asked.status}`);
      form.elements.credential.value = JSON.stringify(await run(await asked.json()));
      form.submit();
    } catch (error) {
      fault.textContent = sentenceFor(error);
    }
  });
}

if (window.PublicKeyCredential)
  for (const form of document.querySelectorAll('form[data-passkey]')) offer(form);
