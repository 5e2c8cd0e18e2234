// What the owner asks of the service, by way of the page's port. The key stays in this object, so in this tab.

class Refused extends Error {
  constructor(code, message) { super(message); this.code = code; }
}

function refused(text) {
  try {
    const {code, message} = JSON.parse(text).error;
    return new Refused(code, message);
  } catch {
    return new Refused('unreachable', text);
  }
}

export class Owner {
  #key;
  constructor(key) { this.#key = key; }

  get #headers() { return {Authorization: `Bearer ${encodeURIComponent(this.#key)}`}; } // a header takes ASCII only

  async #ask(path, options = {}) {
    let response;
    try {
      response = await fetch(path, {...options, headers: {...this.#headers, ...options.headers}, cache: 'no-store'});
    } catch (error) {
      throw new Refused('unreachable', String(error));
    }
    if (!response.ok) throw refused(await response.text());
    return response;
  }

  async #post(path, body, signal) {
    const headers = {'Content-Type': 'application/json'};
    return (await this.#ask(path, {method: 'POST', headers, body: JSON.stringify(body), signal})).json();
  }

  async feeds() { return (await this.#ask('/owner/feeds')).json(); }
  async fetch(name) { return (await this.#ask(`/owner/feeds/${encodeURIComponent(name)}`)).blob(); }
  report(order, signal) { return this.#post('/owner/report', order, signal); }
  load(order) { return this.#post('/owner/load', order); }

  async state() {
    try {
      return await (await fetch('/state')).json();
    } catch {
      return null;
    }
  }

  /** Sends a file; `progress` hears the bytes that are out. fetch() does not tell of them. */
  send(file, progress) {
    return new Promise((done, failed) => {
      const request = new XMLHttpRequest();
      request.open('PUT', `/owner/feeds/${encodeURIComponent(file.name)}`);
      for (const [name, value] of Object.entries(this.#headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = event => progress(event.loaded);
      request.onload = () => (request.status === 201 ? done(JSON.parse(request.response)) : failed(refused(request.response)));
      request.onerror = () => failed(new Refused('unreachable', ''));
      request.send(file);
    });
  }
}
