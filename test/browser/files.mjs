import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFilm } from './support/film.mjs';

const SCRIPT = `fetch('/canary');document.title='ran';try{localStorage.ran='ran'}catch{}`;
const HOSTILE = {
  'a.svg': [
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg" onload="${SCRIPT}"><script>${SCRIPT}</script></svg>`,
  ],
  'a.html': ['text/html', `<!doctype html><script>${SCRIPT}</script><img src=x onerror="${SCRIPT}">`],
  'a.xhtml': ['application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml"><script>${SCRIPT}</script></html>`],
  'a.xml': [
    'text/xml',
    `<?xml version="1.0"?><a xmlns:h="http://www.w3.org/1999/xhtml"><h:script>${SCRIPT}</h:script></a>`,
  ],
  'a.pdf': ['application/pdf', `%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>endobj`],
  'a.js': ['text/javascript', SCRIPT],
  'a.txt': ['text/plain', `<script>${SCRIPT}</script>`],
  'a.gif': ['image/gif', `GIF89a/*\u0001\u0000\u0001\u0000*/=1;${SCRIPT}//`],
  'nameless.png': ['', `<!doctype html><script>${SCRIPT}</script>`],
};

export const fileScenarios = {
  'files: uploaded content does not run on our origin': async (world) => {
    const service = await world.start();
    const token = await administrator(service, 'files@example.com');
    const context = await (await world.wholeBrowser()).newContext();
    const requestedUrls = [];
    context.on('request', (request) => requestedUrls.push(request.url()));
    // The token cookie of a signed-in user, as on the product's own pages.
    await context.addCookies([{ name: 'token', value: token, url: service.url }]);
    try {
      for (const [name, [type, text]] of Object.entries(HOSTILE)) {
        for (const url of await addressesOf(service, token, name, type, text))
          await openEverywhere(context, service, url);
        assert.deepEqual(
          requestedUrls.filter((url) => url.includes('canary')),
          [],
          name,
        );
      }
      // Control: the effect if a script had run.
      const page = await context.newPage();
      await page.goto(`${service.url}/dash/login`);
      await page.evaluate(SCRIPT);
      assert.equal(requestedUrls.filter((url) => url.includes('canary')).length, 1);
      assert.ok(requestedUrls.filter((url) => url.includes('/api/files/')).length > 4 * Object.keys(HOSTILE).length);
    } finally {
      await context.close();
    }
  },

  'files: a video plays alone and on another origin, and seeks with range requests': async (world) => {
    const service = await world.start();
    const token = await administrator(service, 'films@example.com');
    const elsewhere = createServer((_request, answer) =>
      answer.setHeader('content-type', 'text/html').end('<p>A film'),
    );
    const context = await (await world.wholeBrowser()).newContext();
    try {
      const page = await context.newPage();
      await page.goto(`${service.url}/dash/login`);
      const film = await makeFilm(page, FILM_SECONDS);
      const [, url] = await addressesOf(service, token, 'a.webm', 'video/webm', film);
      const begun = [];
      page.on('response', (answer) => begun.push(firstByte(answer)));
      await page.goto(url);
      for (const second of [FILM_SECONDS - 10, 5]) {
        await seek(page, second);
        assert.equal(await isLight(page), second > FILM_SECONDS / 2, `second ${second}`);
      }
      await showElsewhere(page, elsewhere, url);
      await seek(page, FILM_SECONDS - 10);
      // Chromium reads ahead: the new requests start near the end of the film.
      const late = begun.filter((byte) => byte > film.length / 2);
      assert.equal(late.length, 2, `asked for ${begun.join()}`);
    } finally {
      await context.close();
      elsewhere.close();
    }
  },
};

const FILM_SECONDS = 240;

async function administrator(service, email) {
  const password = 'sturdy walnut 47';
  await service.run('dist/program/cli.js', 'admin:create', '--email', email, '--password', password);
  return (await service.post('/api/auth/local/login', { login: email, password })).token;
}

function firstByte(answer) {
  return Number(/^bytes (\d+)-/.exec(answer.headers()['content-range'] ?? '')?.[1] ?? 0);
}

async function showElsewhere(page, server, url) {
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  await page.goto(`http://127.0.0.1:${server.address().port}`);
  await page.evaluate((address) => {
    const film = document.createElement('video');
    film.src = address;
    film.preload = 'auto';
    document.body.append(film);
  }, url);
}

async function seek(page, second) {
  await untilShown(page);
  await page.evaluate((at) => {
    const film = document.querySelector('video');
    film.pause();
    film.currentTime = at;
  }, second + 0.5);
  await untilShown(page);
  assert.equal(await page.evaluate(() => document.querySelector('video').currentTime), second + 0.5);
}

async function untilShown(page) {
  const state = () =>
    page.evaluate(() => {
      const film = document.querySelector('video');
      return film.error?.message ?? (!film.seeking && film.readyState >= 2);
    });
  for (let looks = 0; looks < 400; looks += 1) {
    const found = await state();
    if (found === true) return;
    assert.equal(found, false);
    await delay(50);
  }
  assert.fail('the film is not shown');
}

function isLight(page) {
  return page.evaluate(() => {
    const canvas = new OffscreenCanvas(320, 240).getContext('2d');
    canvas.drawImage(document.querySelector('video'), 0, 0);
    const [grey, , , alpha] = canvas.getImageData(40, 40, 1, 1).data;
    return alpha === 255 && grey > 128;
  });
}

async function addressesOf(service, token, name, type, text) {
  const authorization = `Bearer ${token}`;
  const disposition = `attachment; filename="${name}"`;
  const headers = {
    authorization,
    'content-disposition': disposition,
    ...(type === '' ? {} : { 'content-type': type }),
  };
  const sent = await fetch(`${service.url}/api/files`, {
    method: 'POST',
    headers,
    body: typeof text === 'string' ? Buffer.from(text, 'latin1') : text,
  });
  const { data } = await sent.json();
  assert.equal(sent.status, 201, JSON.stringify(data));
  const own = { authorization, 'content-type': 'application/json' };
  const signed = await fetch(`${service.url}/api/files/${data.id}/url`, { method: 'POST', headers: own, body: '{}' });
  return [data.url, (await signed.json()).data.url];
}

/** Opens a file directly, and within a page of the service: as a script, frame, object and image. */
async function openEverywhere(context, service, url) {
  const page = await context.newPage();
  const download = page.waitForEvent('download', { timeout: 2_000 }).catch(() => null);
  const answer = await page.goto(url).catch(() => null);
  if (answer !== null) assert.match(answer.headers()['content-type'], /^image\/gif/);
  else assert.ok((await download) !== null, `${url} is neither shown nor saved`);
  assert.notEqual(await page.title(), 'ran');
  await page.goto(`${service.url}/dash/login`);
  const isRun = await page.evaluate(async (address) => {
    const ended = ['script', 'iframe', 'object', 'embed', 'img'].map((name) => {
      const element = document.createElement(name);
      element[name === 'object' ? 'data' : 'src'] = address;
      document.body.append(element);
      return new Promise((done) => {
        element.onload = element.onerror = done;
        setTimeout(done, 500);
      });
    });
    await Promise.all(ended);
    return document.title === 'ran' || localStorage.ran !== undefined;
  }, url);
  assert.equal(isRun, false, url);
  await delay(100);
  await page.close();
}
