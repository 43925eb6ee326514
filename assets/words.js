/* The page in other languages: one row for each string. English is the text of the page itself; what is in a document, in
   [lang], bdi or [dir=auto], is never translated. */
(() => {
  "use strict";
  const redstring = window.redstring;
  if (!redstring || redstring.language) return;
  const KEY = "redstring-language";
  const LANGUAGES = { en: "English", de: "Deutsch", id: "Bahasa Indonesia", ar: "العربية" };
  const ROWS = [
    ["Investigate", "Recherche", "Telusuri", "بحث"],
    ["Check", "Prüfen", "Periksa", "تدقيق"],
    ["Cases", "Fälle", "Perkara", "القضايا"],
    ["Review", "Bewerten", "Tinjau", "مراجعة"],
    ["Corpus", "Korpus", "Korpus", "المدونة"],
    ["Evaluate", "Messen", "Evaluasi", "تقييم"],
    ["No model", "Kein Modell", "Tanpa model", "بلا نموذج"],
    ["Question", "Frage", "Pertanyaan", "السؤال"],
    ["Plan", "Plan", "Rencana", "الخطة"],
    ["Cancel", "Abbrechen", "Batal", "إلغاء"],
    ["Depth", "Tiefe", "Kedalaman", "العمق"],
    ["Auto", "Auto", "Otomatis", "تلقائي"],
    ["Quick", "Schnell", "Cepat", "سريع"],
    ["Balanced", "Ausgewogen", "Seimbang", "متوازن"],
    ["Thorough", "Gründlich", "Teliti", "شامل"],
    ["Detective", "Detektiv", "Detektif", "استقصائي"],
    ["Settings", "Einstellungen", "Pengaturan", "الإعدادات"],
    ["Recent cases", "Letzte Fälle", "Perkara terbaru", "أحدث القضايا"],
    ["Ask a question, or name a provision: “Article 14 of the Agency Code”", "Stellen Sie eine Frage, oder nennen Sie eine Vorschrift: „§ 14 HVG“", "Ajukan pertanyaan, atau sebut ketentuan: “Pasal 14 UU Keagenan”", "اطرح سؤالا أو سم حكما: «المادة 14 من قانون الوكالة»"],
    ["Ask a legal question. See the rule, its exceptions and everything they refer to.", "Stellen Sie eine Rechtsfrage. Sehen Sie die Regel, ihre Ausnahmen und alles, worauf sie verweisen.", "Ajukan pertanyaan hukum. Lihat aturan, pengecualiannya, dan semua yang dirujuknya.", "اطرح سؤالا قانونيا، وشاهد القاعدة واستثناءاتها وكل ما تحيل إليه."],
    ["Redstring searches the whole corpus, follows references, definitions and amendments from what it finds, and shows how each passage was found. No account, no language model needed.", "Redstring durchsucht den ganzen Korpus, folgt Verweisen, Definitionen und Änderungen und zeigt, wie jede Stelle gefunden wurde. Ohne Konto, ohne Sprachmodell.", "Redstring menelusuri seluruh korpus, mengikuti rujukan, definisi, dan perubahan, serta menunjukkan bagaimana setiap bagian ditemukan. Tanpa akun, tanpa model bahasa.", "يبحث Redstring في المدونة كلها، ويتبع الإحالات والتعريفات والتعديلات، ويبين كيف عثر على كل مقطع. بلا حساب وبلا نموذج لغوي."],
    ["As many rounds as the question needs, up to 1,000 passages.", "So viele Runden wie nötig, bis zu 1.000 Stellen.", "Putaran sebanyak yang diperlukan, hingga 1.000 bagian.", "جولات بقدر حاجة السؤال، حتى 1000 مقطع."],
    ["The sources answer this question.", "Die Quellen beantworten die Frage.", "Sumber menjawab pertanyaan ini.", "المصادر تجيب عن هذا السؤال."],
    ["The sources answer part of this question.", "Die Quellen beantworten einen Teil der Frage.", "Sumber menjawab sebagian pertanyaan ini.", "المصادر تجيب عن جزء من السؤال."],
    ["No sentence answers this directly.", "Kein Satz beantwortet dies unmittelbar.", "Tidak ada kalimat yang menjawab langsung.", "لا توجد جملة تجيب مباشرة."],
    ["This corpus does not cover the question.", "Dieser Korpus behandelt die Frage nicht.", "Korpus ini tidak mencakup pertanyaan.", "هذه المدونة لا تتناول السؤال."],
    ["Rule", "Regel", "Aturan", "القاعدة"],
    ["Closest rule", "Nächste Regel", "Aturan terdekat", "أقرب قاعدة"],
    ["Exception", "Ausnahme", "Pengecualian", "الاستثناء"],
    ["Consequence", "Rechtsfolge", "Akibat", "الأثر"],
    ["Time limit", "Frist", "Batas waktu", "المدة"],
    ["Found", "Gefunden", "Ditemukan", "وجد"],
    ["Partly found", "Teilweise gefunden", "Ditemukan sebagian", "وجد جزئيا"],
    ["Not found", "Nicht gefunden", "Tidak ditemukan", "لم يوجد"],
    ["Full answer", "Ganze Antwort", "Jawaban lengkap", "الجواب كاملا"],
    ["A finished example", "Ein fertiges Beispiel", "Contoh yang sudah selesai", "مثال مكتمل"],
    ["Open as a case of your own", "Als eigenen Fall öffnen", "Buka sebagai perkara sendiri", "افتحه كقضية خاصة بك"],
    ["Memo (Word)", "Vermerk (Word)", "Memo (Word)", "مذكرة (Word)"],
    ["Export", "Exportieren", "Ekspor", "تصدير"],
    ["Share", "Teilen", "Bagikan", "مشاركة"],
    ["Shared", "Geteilt", "Dibagikan", "مشاركة مفعلة"],
    ["Compare", "Vergleichen", "Bandingkan", "مقارنة"],
    ["Review this case", "Diesen Fall bewerten", "Tinjau perkara ini", "راجع هذه القضية"],
    ["Board", "Tafel", "Papan", "اللوحة"],
    ["Tree", "Baum", "Pohon", "الشجرة"],
    ["Charts", "Diagramme", "Grafik", "الرسوم"],
    ["Coverage", "Abdeckung", "Cakupan", "التغطية"],
    ["report", "Bericht", "laporan", "تقرير"],
    ["covered", "abgedeckt", "tercakup", "مغطى"],
    ["weak", "schwach", "lemah", "ضعيف"],
    ["missing", "fehlt", "tidak ada", "مفقود"],
    ["Passages", "Stellen", "Bagian", "المقاطع"],
    ["Answer", "Antwort", "Jawaban", "الجواب"],
    ["relevance", "Relevanz", "relevansi", "الصلة"],
    ["document", "Dokument", "dokumen", "الوثيقة"],
    ["filter", "filtern", "saring", "تصفية"],
    ["search", "suchen", "cari", "بحث"],
    ["in force", "in Kraft", "berlaku", "نافذ"],
    ["Search on from here", "Von hier weitersuchen", "Telusuri dari sini", "تابع البحث من هنا"],
    ["Read the whole document", "Ganzes Dokument lesen", "Baca seluruh dokumen", "اقرأ الوثيقة كلها"],
    ["Pin", "Anheften", "Sematkan", "تثبيت"],
    ["Dismiss", "Verwerfen", "Singkirkan", "استبعاد"],
    ["Dismiss with a reason …", "Mit Grund verwerfen …", "Singkirkan dengan alasan …", "استبعاد مع ذكر السبب …"],
    ["Copy citation", "Fundstelle kopieren", "Salin kutipan", "نسخ الإحالة"],
    ["Open in document", "Im Dokument öffnen", "Buka dalam dokumen", "افتح في الوثيقة"],
    ["Scan", "Erste Suche", "Pencarian awal", "البحث الأول"],
    ["Plan:", "Plan:", "Rencana:", "الخطة:"],
    ["Change", "Ändern", "Ubah", "تغيير"],
    ["Finished: all rounds done", "Fertig: alle Runden abgeschlossen", "Selesai: semua putaran tuntas", "انتهى: اكتملت كل الجولات"],
    ["Skip to the passages", "Zu den Stellen springen", "Lompat ke bagian", "انتقل إلى المقاطع"],
    ["Ask this corpus", "Diesen Korpus fragen", "Tanyai korpus ini", "اسأل هذه المدونة"],
    ["Back to the case", "Zurück zum Fall", "Kembali ke perkara", "عودة إلى القضية"],
    ["New corpus", "Neuer Korpus", "Korpus baru", "مدونة جديدة"],
    ["Documents", "Dokumente", "Dokumen", "الوثائق"],
    ["Names", "Namen", "Nama", "الأسماء"],
    ["Areas", "Gebiete", "Bidang", "المجالات"],
    ["Grades", "Ränge", "Tingkat", "الدرجات"],
    ["Statistics", "Statistik", "Statistik", "إحصاءات"],
    ["Report", "Bericht", "Laporan", "تقرير"],
  ];
  const ATTRIBUTES = ["placeholder", "title", "aria-label"];
  const DOCUMENT = "body [lang], bdi, [dir=auto], .text, .quoted, script, style, textarea";
  const kept = () => { try { return localStorage.getItem(KEY) || "en"; } catch { return "en"; } };
  const chosen = LANGUAGES[kept()] ? kept() : "en";
  const at = Object.keys(LANGUAGES).indexOf(chosen);
  const words = new Map(at > 0 ? ROWS.map((row) => [row[0], row[at]]) : []);

  function text(node) {
    const said = node.data.trim();
    const other = words.get(said);
    if (other && !node.parentElement?.closest(DOCUMENT)) node.data = node.data.replace(said, other);
  }
  function element(found) {
    ATTRIBUTES.forEach((name) => { const other = words.get(found.getAttribute(name)); if (other) found.setAttribute(name, other); });
  }
  function translate(root) {
    if (root.nodeType === Node.TEXT_NODE) { text(root); return; }
    if (root.nodeType !== Node.ELEMENT_NODE) return;
    element(root);
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) if (node.nodeType === Node.TEXT_NODE) text(node); else element(node);
  }
  function language(select) {
    select.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => new Option(name, code, false, code === chosen)));
    select.addEventListener("change", () => {
      try { localStorage.setItem(KEY, select.value); } catch { return; }
      location.reload();
    });
  }
  if (at > 0) {
    document.documentElement.dir = chosen === "ar" ? "rtl" : "ltr";
    document.documentElement.lang = chosen;
    const watch = () => {
      translate(document.body);
      new MutationObserver((changes) => changes.forEach((change) => (change.type === "characterData" ? text(change.target) : change.addedNodes.forEach(translate)))).observe(document.body, { childList: true, subtree: true, characterData: true });
    };
    if (document.body) watch(); else addEventListener("DOMContentLoaded", watch);
  }
  redstring.language = language;
})();
