// A page opened from a file may start no worker: the search then runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.append(this.frame)
      const inside = this.frame.contentWindow
      const load = source => new Promise((resolve, reject) => {
        const script = inside.document.createElement("script")
        Object.assign(script, { src: source, onload: resolve, onerror: reject })
        inside.document.head.append(script)
      })
      inside.postMessage = data => this.tell(this, data)
      inside.importScripts = (...urls) =>
        urls.reduce((before, each) => before.then(() => load(each)), Promise.resolve())
      this.ready = load(url)
    }
    tell(target, data) {
      const event = new MessageEvent("message", { data })
      target.dispatchEvent(event)
      if (target === this && this.onmessage) this.onmessage(event)
    }
    postMessage(data) {
      this.ready.then(() => this.tell(this.frame.contentWindow, data))
    }
    terminate() {
      this.frame.remove()
    }
  }
}
