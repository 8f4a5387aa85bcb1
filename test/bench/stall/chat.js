/** Asks one question after the other. Returns how they ended, by status and code, and the longest, in ms. */
export async function askAll({ url }, token, questions) {
  const ends = {};
  let longest = 0;
  for (const question of questions) {
    const from = performance.now();
    const { status, code } = await ask(url, token, question);
    longest = Math.max(longest, performance.now() - from);
    const end = code === 0 ? status : `${status} (${code})`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  const counts = Object.entries(ends).map(([end, count]) => `${count} × ${end}`);
  return `${counts.join(", ")}; the longest took ${Math.round(longest)} ms`;
}

/** Asks one question. */
export async function ask(url, token, question) {
  const response = await fetch(`${url}/api/v1/ai/chat/send`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-user-token": token },
    body: JSON.stringify({ question }),
  });
  const { code, data } = await response.json();
  return { status: response.status, code, data };
}
